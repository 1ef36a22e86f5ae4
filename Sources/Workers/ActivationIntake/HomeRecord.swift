import Kafka
import Records
import WireFormats

/// A record of the internal topic, through which everything about one device meets in one partition, its
/// home.
enum HomeRecord {
    /// The kinds, by the value of `kindHeader`.
    enum Kind: String, CaseIterable {
        /// An event of an SDK, as it will be published.
        case event
        /// A click, at the home of its device or of its id.
        case click
        /// An activation that names a click, at the home of that click. It goes on to the home of its device.
        case lookup
        /// An activation at the home of its device.
        case activation
    }

    /// The header with the kind.
    static let kindHeader = "flotilla.intake.kind"
    /// The header with the click that a lookup has found.
    static let clickHeader = "flotilla.intake.click"

    /// The header of an activation that has waited for its click, and waits no more.
    static let lateHeader = "flotilla.intake.late"

    /// The names of things, from which their homes and their places in the tables follow.
    enum Name {
        static func device(_ muid: String) -> String { "muid \(muid)" }
        static func click(_ id: String) -> String { "click \(id)" }
        static func phone(_ id: String) -> String { "phone \(id)" }
    }

    /// The kind of a record; nil if nobody of this worker has written it.
    static func kind(of record: borrowing InboundRecord) -> Kind? {
        record.header(self.kindHeader).flatMap { Kind(exactly: String(decoding: $0, as: UTF8.self)) }
    }

    /// The headers of a record without those of this worker, which publishers must not set.
    static func foreignHeaders(of record: borrowing InboundRecord) -> [RecordHeader] {
        record.headers.filter { !$0.isNamed(startingWith: "flotilla.") }
    }
}
