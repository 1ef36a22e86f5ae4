internal import NIOCore

extension ControlDesk {
    /// Takes the switches that a body of JSON sets, the state of the port included.
    static func faults(_ body: [UInt8], _ listener: Listener, _ set: (AppleFaults) -> Void) async -> Answer {
        do throws(StrictJSON.Problem) {
            let faults = try StrictJSON.decode(AppleFaults.self, from: body)
            set(faults)
            var answer = Self.json(faults)
            answer.outage = faults.down
            answer.reply.closesConnection = faults.down != nil
            if faults.down == nil { await listener.follow(nil) }
            return answer
        } catch {
            return Self.refusal(400, error.explanation)
        }
    }

    /// Takes a list of what a simulator is to know, and says how many of them it has read.
    static func list<Value: Codable>(_ body: [UInt8], _ set: ([Value]) -> Void) -> Answer {
        do throws(StrictJSON.Problem) {
            let values = try StrictJSON.decode([Value].self, from: body)
            set(values)
            return Self.json(["known": values.count])
        } catch {
            return Self.refusal(400, error.explanation)
        }
    }

    static var healthy: Answer {
        Answer(reply: Reply(contentType: "text/plain", body: ByteBuffer(string: "ok\n")))
    }
}
