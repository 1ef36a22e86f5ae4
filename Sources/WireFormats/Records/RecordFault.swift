/// Why a record's value cannot be used. The reason never quotes the value.
package enum RecordFault: Error, Hashable, Sendable {
    /// The bytes are not what their content type, their framing or the schema says.
    case undecodable(Reason)
    /// The bytes decode to something that our rules do not take.
    case invalid(Reason)
    /// There is more of it than we read.
    case tooLarge(Reason)

    package var reason: Reason {
        switch self {
        case .undecodable(let reason), .invalid(let reason), .tooLarge(let reason): reason
        }
    }

    /// The word that a dead letter has for it.
    package var kind: DeadLetter.Class {
        switch self {
        case .undecodable: .undecodable
        case .invalid: .invalid
        case .tooLarge: .tooLarge
        }
    }

    static func undecodable(_ code: String, _ message: String) -> RecordFault {
        .undecodable(Reason(code, message))
    }

    static func invalid(_ code: String, _ message: String) -> RecordFault {
        .invalid(Reason(code, message))
    }
}
