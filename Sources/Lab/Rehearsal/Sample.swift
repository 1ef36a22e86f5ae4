import Harness
import Records
import UpstreamHTTP
import WireFormats

/// A record of the demo with the result that it must have.
struct Sample {
    /// The name of the record for a person.
    var title: String
    var record: OutboundRecord
    var fate: Outcome.Fate
    /// The result's own word beyond the fate, such as `not_set`; nil if it has none.
    var word: String?
    /// The detail that the result adds to the word.
    var detail: String?
    /// The code of the reason; nil for a success.
    var reason: String?
    /// The class of the dead letter; nil if there must be none.
    var kind: DeadLetter.Class?
    /// The number of calls that the record may take.
    var calls: ClosedRange<Int>
    /// The number of calls that follow another call at once and do not repeat a failed one.
    var followUps = 0
    /// The number of calls that the upstream accepts.
    var accepted: Int
    /// Whether the record is shown only if its result is wrong.
    var isOneOfMany = false
    /// Whether the dead letter states the place and size of the value instead of holding it, because the
    /// value may be personal.
    var letterLeavesOutTheValue = false

    /// The request that makes the record, if the gateway publishes it and not the demo.
    var post: Post?

    /// A request to the gateway.
    struct Post {
        /// The path with its query.
        var target: String
        var headers: [(name: String, value: String)] = []
        /// The body; nil for a GET.
        var body: [UInt8]?
        /// Whether a record of the input topic is the one that this request makes.
        var makes: (InboundRecord) -> Bool

        func request(to gateway: String) -> HTTPRequest {
            HTTPRequest(
                method: self.body == nil ? .get : .post,
                url: "\(gateway)\(self.target)",
                headers: self.headers.map { HTTPHeader($0.name, $0.value) },
                body: self.body
            )
        }
    }

    /// A record that succeeds.
    static func good(
        _ title: String,
        _ record: OutboundRecord,
        calls: ClosedRange<Int> = 1...1,
        accepted: Int = 1
    )
        -> Sample
    {
        Sample(title: title, record: record, fate: .succeeded, calls: calls, accepted: accepted)
    }

    /// A record that succeeds, and whose result has a word of its own.
    static func good(
        _ title: String,
        _ record: OutboundRecord,
        word: String,
        detail: String? = nil,
        calls: Int = 1,
        followUps: Int = 0,
        accepted: Int = 1
    )
        -> Sample
    {
        var sample = Self.good(title, record, calls: calls...calls, accepted: accepted)
        sample.word = word
        sample.detail = detail
        sample.followUps = followUps
        return sample
    }

    /// A record with a final rejection.
    static func refused(_ title: String, _ record: OutboundRecord, reason: String, calls: Int = 0)
        -> Sample
    {
        Sample(
            title: title,
            record: record,
            fate: .rejected,
            reason: reason,
            calls: calls...calls,
            accepted: 0
        )
    }

    /// A record with a final rejection, whose result has a word of its own.
    static func refused(
        _ title: String,
        _ record: OutboundRecord,
        word: String,
        because reason: String,
        calls: Int = 0,
        followUps: Int = 0,
        accepted: Int = 0
    )
        -> Sample
    {
        var sample = Self.refused(title, record, reason: reason, calls: calls)
        sample.word = word
        sample.followUps = followUps
        sample.accepted = accepted
        return sample
    }

    /// A record whose deadline has passed before a call.
    static func expired(_ title: String, _ record: OutboundRecord, as word: String? = nil) -> Sample {
        Sample(
            title: title,
            record: record,
            fate: .expired,
            word: word,
            reason: "deadline",
            calls: 0...0,
            accepted: 0
        )
    }

    /// A record that is dead-lettered.
    static func dead(
        _ title: String,
        _ record: OutboundRecord,
        as kind: DeadLetter.Class,
        because reason: String,
        calls: Int = 0
    ) -> Sample {
        Sample(
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
