import Foundation
import Records
import TestMaterial
import Testing

@testable import WireFormats

/// Outcomes as CloudEvents, judged by the reader of CloudEvents and by Foundation.
@Suite struct ResultEnvelopeTests {
    private static let outcome = Outcome.ofActivation(.rejected, Reason("gdt.-15", "No \"muid\"."))

    private static func record(_ format: ValueFormat, _ envelope: ResultEnvelope) -> OutboundRecord {
        var record = OutboundRecord(
            topic: "activation.result",
            value: ActivationResult.encode(self.outcome, nil, as: format),
            headers: [
                RecordHeader("content-type", format.contentType), RecordHeader("ce_id", "order-\"7\""),
                RecordHeader("correlation-id", "c"),
            ]
        )
        record.wrap(in: envelope, of: self.outcome, as: format)
        return record
    }

    private static func inbound(_ record: OutboundRecord) -> InboundRecord {
        InboundRecord(topic: "r", partition: 0, offset: 0, value: record.value, headers: record.headers)
    }

    private static let attributes = [
        "specversion": "1.0", "id": outcome.id, "source": "/flotilla/activation-worker",
        "type": "flotilla.outcome.v1.rejected", "time": RFC3339.string(outcome.settledAt),
        "causationid": "order-\"7\"",
    ]

    @Test(arguments: ValueFormat.allCases, ResultEnvelope.allCases)
    func theOutcomeIsReadAgain(format: ValueFormat, envelope: ResultEnvelope) throws {
        let record = Self.record(format, envelope)
        let payload = try RecordPayload(of: Self.inbound(record))
        #expect(payload.format == format)
        #expect(payload.message == ActivationResult.encode(Self.outcome, nil, as: format))
        #expect(record.headers.contains(RecordHeader("correlation-id", "c")))
        #expect(record.headers.filter { $0.name == "content-type" }.count == 1)
    }

    @Test(arguments: ValueFormat.allCases)
    func binaryHasItsAttributesInHeaders(format: ValueFormat) {
        let record = Self.record(format, .binary)
        for (name, value) in Self.attributes {
            #expect(record.headers.filter { $0.name == "ce_\(name)" } == [RecordHeader("ce_\(name)", value)])
        }
        #expect(record.value == Self.record(format, .none).value)
    }

    @Test(arguments: ValueFormat.allCases)
    func structuredHasThemInTheEvent(format: ValueFormat) throws {
        let record = Self.record(format, .structured)
        let event = try #require(
            JSONSerialization.jsonObject(with: Data(record.value ?? [])) as? [String: Any]
        )
        for (name, value) in Self.attributes { #expect(event[name] as? String == value) }
        #expect(event["datacontenttype"] as? String == format.contentType)
        #expect(event.count == Self.attributes.count + 2)
        #expect(!record.headers.contains { $0.name.hasPrefix("ce_") })
    }

    @Test func withoutAnEnvelopeNothingChanges() {
        #expect(Self.record(.json, .none).headers.contains(RecordHeader("ce_id", "order-\"7\"")))
    }

    /// An id that is no text can be in no attribute.
    @Test func anIDThatIsNoTextIsLeftOut() {
        var record = OutboundRecord(topic: "r", value: [], headers: [RecordHeader("ce_id", [0xFF])])
        record.wrap(in: .binary, of: Self.outcome, as: .json)
        #expect(!record.headers.contains { $0.name == "ce_causationid" })
    }
}
