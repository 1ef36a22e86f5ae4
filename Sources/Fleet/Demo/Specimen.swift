import Records
import WireFormats

/// A record of the demo, and what has to become of it.
struct Specimen {
    /// What it is, for a person.
    var title: String
    var record: OutboundRecord
    var fate: Outcome.Fate
    /// What its result has to say beyond the fate, and what it adds to that.
    var word: String?
    var detail: String?
    /// The code of the reason; nil for a success.
    var reason: String?
    /// The class of its dead letter.
    var kind: DeadLetter.Class?
    /// How many calls it may take.
    var calls: ClosedRange<Int>
    /// Calls that follow another at once, and are no repeats of what has failed.
    var followUps = 0
    /// How many of the calls the upstream says yes to.
    var accepted: Int
    /// Whether it is shown only if something is wrong with it.
    var isOneOfMany = false
    /// Whether its dead letter says where the value is and does not hold it: it may be personal.
    var letterLeavesOutTheValue = false

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

    /// A success that the result has a word for.
    static func good(
        _ title: String,
        _ record: OutboundRecord,
        _ word: String,
        _ detail: String? = nil,
        calls: Int = 1,
        followUps: Int = 0,
        accepted: Int = 1
    )
        -> Specimen
    {
        var specimen = Self.good(title, record, calls: calls...calls, accepted: accepted)
        specimen.word = word
        specimen.detail = detail
        specimen.followUps = followUps
        return specimen
    }

    /// A final no.
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

    /// One that the result has a word for.
    static func refused(
        _ title: String,
        _ record: OutboundRecord,
        _ word: String,
        _ reason: String,
        calls: Int = 0,
        followUps: Int = 0,
        accepted: Int = 0
    )
        -> Specimen
    {
        var specimen = Self.refused(title, record, reason, calls: calls)
        specimen.word = word
        specimen.followUps = followUps
        specimen.accepted = accepted
        return specimen
    }

    /// Too late for a call.
    static func expired(_ title: String, _ record: OutboundRecord, _ word: String? = nil) -> Specimen {
        Specimen(
            title: title,
            record: record,
            fate: .expired,
            word: word,
            reason: "deadline",
            calls: 0...0,
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
