import Glibc

/// The number of file descriptors that this process may have open. A call in flight needs one.
package struct DescriptorLimit {
    /// The descriptors that are needed beside the calls: for brokers, health checks, pipes and files.
    private static let others = 256

    /// Raises the limit as far as the system allows a process to raise its own.
    ///
    /// - Returns: The limit that holds now.
    private static func raise() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
        let wanted = limit.rlim_max
        if limit.rlim_cur < wanted {
            var raised = rlimit(rlim_cur: wanted, rlim_max: wanted)
            if unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// Makes sure that a server can have so many connections.
    ///
    /// - Parameter setting: The name of the setting that limits the connections.
    /// - Throws: `PreflightFailure` if the process may not open as many descriptors as they need.
    package static func makeRoom(
        forConnections connections: Int,
        setting: String
    ) throws(PreflightFailure) {
        let limit = Self.raise()
        guard limit < connections + Self.others else { return }
        throw PreflightFailure(faults: [
            "\(setting): the connections need \(connections + Self.others) file descriptors, and this process may open "
                + "\(limit); raise the limit (ulimit -n, LimitNOFILE), or allow fewer connections."
        ])
    }

    /// Makes sure that so many calls can be in flight.
    ///
    /// - Throws: `PreflightFailure` if the process may not open as many descriptors as they need.
    package static func makeRoom(forCalls concurrency: Int) throws(PreflightFailure) {
        let limit = Self.raise()
        guard limit < concurrency + Self.others else { return }
        throw PreflightFailure(faults: [
            "worker.concurrency: \(concurrency) calls need \(concurrency + Self.others) file descriptors, and this "
                + "process may open \(limit); raise the limit (ulimit -n, LimitNOFILE), or lower the concurrency."
        ])
    }
}
