import Foundation

/// Numbers that a simulation brings to light, for who asks for them: `FLOTILLA_SIMULATION_REPORT=1`.
package enum Report {
    package static func note(_ title: String, _ numbers: [String]) {
        guard ProcessInfo.processInfo.environment["FLOTILLA_SIMULATION_REPORT"] != nil else { return }
        print("\(title): \(numbers.joined(separator: "; "))")
    }
}
