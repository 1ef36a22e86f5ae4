extension Node {
    /// NOT_COORDINATOR while a coordinator move is simulated, otherwise nil.
    var coordinatorError: ErrorCode? { self.absence == nil ? nil : .notCoordinator }

    /// Handles a FindCoordinator request, always with this broker, which coordinates everything.
    ///
    /// During a simulated coordinator move it still names itself, like a broker that has not learned of the
    /// move yet.
    func findCoordinator(_ call: Call) throws(Malformed) {
        let version = call.version
        let name = try call.body.string()
        let kind = version >= 1 ? try call.body.int8() : 0
        let error: ErrorCode? =
            switch kind {
            case 0: self.refusal(of: call, .describe, group: name) ?? (name.isEmpty ? .invalidGroupID : nil)
            case 1: self.refusal(of: call, .describe, transactionalID: name)
            default: .invalidRequest
            }
        call.answer { writer in
            if version >= 1 { writer.noThrottle() }
            writer.error(error)
            if version >= 1 { writer.string(nil) }
            writer.integer(error == nil ? Self.id : -1)
            writer.string(error == nil ? self.host : "")
            writer.integer(error == nil ? self.port : -1)
        }
    }
}
