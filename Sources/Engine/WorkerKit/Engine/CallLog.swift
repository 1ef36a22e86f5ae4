import ServiceKit

/// The calls that are still to be logged by an operator's order.
struct CallLog: Sendable {
    /// The lane whose calls are logged, and the lanes that begin with it and a slash; nil for all.
    private let lane: String?
    private var left: Int

    /// Begins the log of an order; without one, nothing is logged.
    init(_ order: OperatorDesk.CallLog?) {
        self.lane = order?.lane
        self.left = order?.calls ?? 0
    }

    /// Counts a call that has ended, and returns whether it is to be logged.
    mutating func takes(_ call: CallInFlight) -> Bool {
        guard self.left > 0, self.lane.map({ Self.lane(call.lane, isWithin: $0) }) ?? true else {
            return false
        }
        self.left -= 1
        return true
    }

    private static func lane(_ lane: String, isWithin name: String) -> Bool {
        let rest = lane.utf8.dropFirst(name.utf8.count)
        return lane.utf8.starts(with: name.utf8) && (rest.isEmpty || rest.first == UInt8(ascii: "/"))
    }
}
