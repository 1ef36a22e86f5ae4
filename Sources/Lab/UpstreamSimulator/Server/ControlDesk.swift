internal import NIOCore

/// The endpoints of the GDT simulator outside of the API: health, counters, faults, keys and journal.
struct ControlDesk: Sendable {
    struct Answer: Sendable {
        var reply: Reply
        /// The outage that starts after the response has been sent; nil for none.
        var outage: Faults.Down?
    }

    let switchboard: Switchboard
    let listener: Listener

    /// Whether a request goes to these endpoints and not to the API.
    static func answers(_ uri: String) -> Bool {
        uri.hasPrefix("/control/") || uri == "/healthz"
    }

    func answer(method: String, uri: String, body: [UInt8]) async -> Answer {
        switch (method, uri) {
        case ("GET", "/healthz"):
            Self.healthy
        case ("GET", "/control/stats"):
            Self.json(self.switchboard.stats)
        case ("GET", "/control/accepted"):
            Self.json(self.switchboard.ledger.acceptedReports)
        case ("GET", _) where uri.hasPrefix(Self.callsFrom):
            self.calls(from: uri.dropFirst(Self.callsFrom.count))
        case ("POST", "/control/faults"):
            await self.setFaults(body)
        case ("POST", "/control/keys"):
            self.addKeys(body)
        case (_, "/healthz"), (_, "/control/stats"), (_, "/control/accepted"), (_, "/control/faults"),
            (_, "/control/keys"):
            Self.refusal(405, "no such method here")
        default:
            Self.refusal(404, "no such endpoint")
        }
    }

    private static let callsFrom = "/control/calls?from="

    private func calls(from number: Substring) -> Answer {
        guard let number = Int(number), number >= 0 else {
            return Self.refusal(400, "from is a number from 0")
        }
        return Self.json(self.switchboard.calls(from: number))
    }

    private func setFaults(_ body: [UInt8]) async -> Answer {
        let faults: Faults
        do {
            faults = try StrictJSON.decode(Faults.self, from: body)
        } catch {
            return Self.refusal(400, error.explanation)
        }
        self.switchboard.set(faults)
        var answer = Self.json(faults)
        if let outage = faults.down {
            answer.outage = outage
            answer.reply.closesConnection = true
        } else {
            await self.listener.follow(nil)
        }
        return answer
    }

    private func addKeys(_ body: [UInt8]) -> Answer {
        do {
            let keys = try StrictJSON.decode([GDTKeys].self, from: body)
            self.switchboard.add(keys)
            return Self.json(["added": keys.count])
        } catch {
            return Self.refusal(400, error.explanation)
        }
    }

    /// A JSON response with a status and the reason for it.
    static func refusal(_ status: Int, _ reason: String) -> Answer {
        var answer = Self.json(["error": reason])
        answer.reply.status = status
        return answer
    }

    /// A JSON response with status 200.
    static func json(_ value: some Encodable) -> Answer {
        let bytes = (try? StrictJSON.encode(value)) ?? []
        return Answer(reply: Reply(contentType: "application/json", body: ByteBuffer(bytes: bytes)))
    }
}
