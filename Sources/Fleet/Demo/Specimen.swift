import Records
import WireFormats

/// A record of the demo, and what has to become of it.
struct Specimen {
    /// What it is, for a person.
    var title: String
    var record: OutboundRecord
    var fate: Outcome.Fate
    /// The code of the reason; nil for a success.
    var reason: String?
    /// The class of its dead letter.
    var kind: DeadLetter.Class?
    /// How many calls it may take.
    var calls: ClosedRange<Int>
    /// How often GDT counts it.
    var accepted: Int

    static func good(
        _ title: String,
        _ record: OutboundRecord,
        calls: ClosedRange<Int> = 1...1,
        accepted: Int = 1
    )
        -> Specimen
    {
        Specimen(title: title, record: record, fate: .succeeded, calls: calls, accepted: accepted)
    }

    /// A final no about a well-formed record.
    static func refused(_ title: String, _ record: OutboundRecord, _ reason: String, calls: Int = 0)
        -> Specimen
    {
        Specimen(
            title: title,
            record: record,
            fate: .rejected,
            reason: reason,
            calls: calls...calls,
            accepted: 0
        )
    }

    static func dead(
        _ title: String,
        _ record: OutboundRecord,
        _ kind: DeadLetter.Class,
        _ reason: String,
        calls: Int = 0
    ) -> Specimen {
        Specimen(
            title: title,
            record: record,
            fate: .deadLettered,
            reason: reason,
            kind: kind,
            calls: calls...calls,
            accepted: 0
        )
    }
}
