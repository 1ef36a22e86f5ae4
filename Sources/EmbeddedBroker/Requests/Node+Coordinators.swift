extension Node {
    /// Set while the coordinators are elsewhere.
    var coordinatorError: ErrorCode? { self.absence == nil ? nil : .notCoordinator }

    /// There is one broker, and it coordinates everything: even while the coordinators are said to be elsewhere
    /// it names itself, as a broker does that has not heard yet.
    func findCoordinator(_ call: Call) throws(Malformed) {
        let version = call.version
        let name = try call.body.string()
        let kind = version >= 1 ? try call.body.int8() : 0
        let error: ErrorCode? =
            switch kind {
            case 0 where name.isEmpty: .invalidGroupID
            case 0, 1: nil
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
