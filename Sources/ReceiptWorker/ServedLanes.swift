import Synchronization

/// Lanes on which Apple has understood a request: our requests to it are in order, and where it calls one bad, what
/// a client chose of that one is the reason.
final class ServedLanes: Sendable {
    private struct State {
        var isLive = false
        /// As many as there are lanes at most.
        var lanes: Set<String> = []
    }

    private let state = Mutex(State())

    /// From now on it is remembered what Apple has understood. A case that is played through by hand leaves no trace.
    func goLive() { self.state.withLock { $0.isLive = true } }

    func insert(_ lane: String) {
        self.state.withLock { state in
            guard state.isLive else { return }
            state.lanes.insert(lane)
        }
    }

    func contains(_ lane: String) -> Bool { self.state.withLock { $0.lanes.contains(lane) } }
}
