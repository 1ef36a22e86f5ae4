import ServiceKit

/// The calls that are still to be logged by an operator's order.
struct CallLog: Sendable {
    private let lane: String?
    private var left: Int

    /// Begins the log of an order; without one, nothing is logged.
    init(_ order: OperatorDesk.CallLog?) {
        self.lane = order?.lane
        self.left = order?.calls ?? 0
    }

    /// Counts a call that has ended, and returns whether it is to be logged.
    mutating func takes(_ call: CallInFlight) -> Bool {
        guard self.left > 0, self.lane.map({ $0.utf8.elementsEqual(call.lane.utf8) }) ?? true else {
            return false
        }
        self.left -= 1
        return true
    }
}
