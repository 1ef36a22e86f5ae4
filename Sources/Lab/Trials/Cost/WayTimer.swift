import Glibc
import Terminal

/// Measures ways to do the same in alternation, in CPU time of this process.
package struct WayTimer {
    /// One way, which is repeated; it returns false if it failed, which ends a measurement.
    package typealias Way = () -> Bool

    private let time: Int
    private let rounds: Int

    /// - Parameters:
    ///   - time: The milliseconds for which each way is measured, all in all.
    ///   - rounds: The number of rounds of each way.
    package init(time: Int, rounds: Int) {
        self.time = time
        self.rounds = max(1, rounds)
    }

    /// The CPU time of one way in microseconds.
    package struct Times {
        /// That of the fastest round. Another user of the processor can only slow a round down, and slows some ways
        /// down more than others.
        package let least: Double
        /// The median of the rounds.
        package let median: Double
    }

    /// Measures each way.
    ///
    /// - Throws: `Complaint` if a way has failed.
    package func times(of ways: [Way]) throws -> [Times] {
        var samples = ways.map { _ in [Double]() }
        for _ in 0..<self.rounds {
            for (index, way) in ways.enumerated() { samples[index].append(try self.microseconds(of: way)) }
        }
        return samples.map { rounds in
            let sorted = rounds.sorted()
            return Times(least: sorted[0], median: sorted[sorted.count / 2])
        }
    }

    private func microseconds(of way: Way) throws -> Double {
        let wanted = Double(self.time) * 1_000 / Double(self.rounds)
        let start = try Self.cpuMicroseconds()
        var count = 0
        while true {
            for _ in 0..<16 {
                guard way() else { throw Complaint("a measured function has failed") }
            }
            count += 16
            let taken = try Self.cpuMicroseconds() - start
            if taken >= wanted { return taken / Double(count) }
        }
    }

    private static func cpuMicroseconds() throws -> Double {
        var time = timespec()
        guard unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else {
            throw Complaint("this machine does not tell CPU time")
        }
        return Double(time.tv_sec) * 1_000_000 + Double(time.tv_nsec) / 1_000
    }
}
