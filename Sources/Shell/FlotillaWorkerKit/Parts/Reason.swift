public import FlotillaRecords
package import WireFormats

/// The reason why a record did not simply succeed, for its outcome, its dead letter, the log and the metrics.
///
/// Codes are labels of metrics, so there must be few of them: a code is a literal of the program, never a text
/// of a record or of an upstream.
public struct Reason: Hashable, Sendable {
    package let reason: WireFormats.Reason

    /// The most bytes of a code, and of a text.
    package static let codeLimit = 64
    private static let textLimit = 512

    /// Makes a reason.
    ///
    /// - Parameters:
    ///   - code: A stable code in dotted lower case, at most 64 bytes. Any other character becomes `_`.
    ///   - text: One sentence for a person without secrets and personal data; it is cut at 512 bytes.
    public init(_ code: StaticString, _ text: String) {
        self.init(WireFormats.Reason(Self.cleaned(code), Self.cut(text)))
    }

    package init(_ reason: WireFormats.Reason) { self.reason = reason }

    /// The reason `http.STATUS`, for an answer whose status says that the call has failed.
    public static func status(_ status: Int) -> Reason {
        let code = (100...599).contains(status) ? "http.\(status)" : "http.other"
        return Reason(WireFormats.Reason(code, "The upstream answered with HTTP status \(status)."))
    }

    /// The reason why a record cannot be decoded.
    public init(_ error: RecordError) { self.init(WireFormats.Reason(error.code, error.text)) }

    /// The code.
    public var code: String { self.reason.code }
    /// The sentence for a person.
    public var text: String { self.reason.message }

    private static func cleaned(_ code: StaticString) -> String {
        let bytes = "\(code)".utf8.prefix(self.codeLimit).map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                byte
            default: UInt8(ascii: "_")
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func cut(_ text: String) -> String {
        DeadLetterNotice.prefix(of: text, bytesLimit: self.textLimit)
    }
}
