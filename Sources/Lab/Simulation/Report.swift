import Foundation

/// Prints figures of a simulation, if the environment variable `FLOTILLA_SIMULATION_REPORT` is set.
package enum Report {
    /// Prints one line with the title and the figures to the standard output.
    package static func note(_ title: String, _ numbers: [String]) {
        guard ProcessInfo.processInfo.environment["FLOTILLA_SIMULATION_REPORT"] != nil else { return }
        print("\(title): \(numbers.joined(separator: "; "))")
    }
}
