/// The type of an event of GrowingIO's SDKs, by its name in JSON. In protobuf it is a number, and unknown
/// numbers have the name `UNRECOGNIZED_<number>`.
package struct SDKEventType: Hashable, Sendable {
    /// The name, such as `ACTIVATE`.
    package var name: String

    /// An activation, a deferred activation or a wake-up; the event's name tells which.
    package static let activate = SDKEventType(name: "ACTIVATE")

    /// The names in the order of their numbers. A number that is absent is 0, so a missing type is `VISIT`.
    private static let names = [
        "VISIT", "CUSTOM", "VISITOR_ATTRIBUTES", "LOGIN_USER_ATTRIBUTES", "CONVERSION_VARIABLES",
        "APP_CLOSED", "PAGE", "PAGE_ATTRIBUTES", "VIEW_CLICK", "VIEW_CHANGE", "FORM_SUBMIT", "ACTIVATE",
    ]

    package init(name: String) { self.name = name }

    /// Whether the SDK's protobuf has a number for the type.
    var isKnown: Bool { Self.names.contains { $0.isExactly(self.name) } }

    init(number: Int64) {
        self.name =
            Self.names.indices.contains(Int(clamping: number))
            ? Self.names[Int(clamping: number)] : "UNRECOGNIZED_\(number)"
    }

    /// Types are compared by the bytes of their names, because a phone chooses them.
    package static func == (one: SDKEventType, other: SDKEventType) -> Bool {
        one.name.isExactly(other.name)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(ExactText(self.name)) }
}
