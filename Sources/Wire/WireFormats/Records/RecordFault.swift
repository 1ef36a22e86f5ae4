/// The reason why a record's value cannot be used. It quotes no value; it names a field, or a short member that is
/// nearly one (`NearMiss`).
package enum RecordFault: Error, Hashable, Sendable {
    /// The bytes are not in the format that their content type, their framing or the schema names.
    case undecodable(Reason)
    /// The bytes can be decoded, but a rule of ours refuses what they say.
    case invalid(Reason)
    /// The value is larger than the worker reads.
    case tooLarge(Reason)

    /// The reason, whatever the kind of fault.
    package var reason: Reason {
        switch self {
        case .undecodable(let reason), .invalid(let reason), .tooLarge(let reason): reason
        }
    }

    /// The class that a dead letter for this fault has.
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
