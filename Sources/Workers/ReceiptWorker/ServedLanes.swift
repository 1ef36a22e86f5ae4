import Synchronization

/// The lanes on which Apple has understood a request. There our requests have the right form, so if Apple
/// calls one bad, the reason is a value that a client has chosen.
///
/// The object is safe to use from any thread.
final class ServedLanes: Sendable {
    private struct State {
        var isLive = false
        /// The names of the lanes; at most as many as there are lanes.
        var lanes: Set<String> = []
    }

    private let state = Mutex(State())

    /// Starts to remember lanes. A command that tries a case by hand does not call this, and so leaves no
    /// trace.
    func goLive() { self.state.withLock { $0.isLive = true } }

    /// Records that Apple has understood a request on this lane.
    func insert(_ lane: String) {
        self.state.withLock { state in
            guard state.isLive else { return }
            state.lanes.insert(lane)
        }
    }

    /// Returns whether Apple has understood a request on this lane.
    func contains(_ lane: String) -> Bool { self.state.withLock { $0.lanes.contains(lane) } }
}
