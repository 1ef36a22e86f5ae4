/// The share by which variants are compared; the raw value is the word in a query.
enum Measure: String, CaseIterable, Sendable {
    /// Devices that opened the notification, of those for which it was accepted.
    case opened
    /// Devices where the notification arrived, of those for which it was accepted.
    case arrived
    /// Devices that opened the notification, of those that reported its arrival.
    case openedOfArrived = "opened-of-arrived"

    /// The measure in words.
    var label: String {
        switch self {
        case .opened: "Opened, of accepted"
        case .arrived: "Arrived, of accepted"
        case .openedOfArrived: "Opened, of arrived"
        }
    }

    /// The name of the devices that are reached.
    var reached: String { self == .arrived ? "Arrived" : "Opened" }
    /// The name of the devices that could be reached.
    var whole: String { self == .openedOfArrived ? "Arrived" : "Accepted" }
}
