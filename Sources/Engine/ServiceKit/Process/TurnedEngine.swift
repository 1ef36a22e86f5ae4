/// An engine on its thread, as `TurnLoop` sees it: the engine, and whatever its service does around each turn.
package protocol TurnedEngine {
    /// Requests the end. Called before every turn once a stop was requested.
    mutating func stop()

    /// Takes every step that is due, without waiting.
    ///
    /// - Throws: The error of a client that is of no use any more.
    mutating func turn(at now: Moment) throws -> NextTurn

    /// The descriptor of the upstream's client; -1 if there is none. Asked for after every turn.
    var upstreamDescriptor: Int32 { get }

    /// The descriptor of the reader of what the engine has written; -1 if the engine awaits nothing of it.
    /// Asked for after every turn.
    var memoryDescriptor: Int32 { get }

    /// Notes the rest between two turns.
    ///
    /// - Parameter hasSlept: Whether the thread slept at all.
    mutating func rested(_ hasSlept: Bool)
}
