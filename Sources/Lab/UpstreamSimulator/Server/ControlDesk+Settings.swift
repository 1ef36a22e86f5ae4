internal import NIOCore

extension ControlDesk {
    /// Sets the faults in a JSON body. An outage starts after the response; a request without an outage ends
    /// a current one before the response.
    static func faults(_ body: [UInt8], _ listener: Listener, set: (AppleFaults) -> Void) async -> Answer {
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

    /// Reads a list from a JSON body and passes it to `set`. The response states the number of values.
    static func list<Value: Codable>(_ body: [UInt8], _ set: ([Value]) -> Void) -> Answer {
        do throws(StrictJSON.Problem) {
            let values = try StrictJSON.decode([Value].self, from: body)
            set(values)
            return Self.json(["known": values.count])
        } catch {
            return Self.refusal(400, error.explanation)
        }
    }

    /// The response to a health request.
    static var healthy: Answer {
        Answer(reply: Reply(contentType: "text/plain", body: ByteBuffer(string: "ok\n")))
    }
}
