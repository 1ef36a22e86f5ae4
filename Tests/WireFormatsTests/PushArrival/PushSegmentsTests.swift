import Records
import Testing
import WireMessages

@testable import WireFormats

/// Segments of devices, and the value of a conversion.
@Suite struct PushSegmentsTests {
    private static func event(_ change: (inout PushEventDraft.Message) -> Void) throws -> PushEvent {
        let draft = PushEventDraft(change)
        let event = try draft.event()
        // All forms of a record say the same, and what goes on to the home of a device loses nothing.
        let json = PushEventDraft.record(try draft.json)
        #expect(try PushEvent(decoding: json, now: PushEventDraft.now) == event)
        let moved = PushEventDraft.record(event.encoded())
        #expect(try PushEvent(decoding: moved, now: PushEventDraft.now) == event)
        return event
    }

    @Test func anEventNamesItsSegments() throws {
        let event = try Self.event {
            $0.appVersion = "3.2.1"
            $0.osVersion = "17.5.1"
            $0.deviceModel = "iPhone"
            $0.country = "de"
        }
        let names = PushSegments.Dimension.allCases.map { event.segments.segment(by: $0) }
        #expect(names == ["3.2.1", "17.5", "iPhone", "DE"])
        #expect(try Self.event { _ in }.segments == PushSegments())
    }

    /// Only a sender says so: an arrival shows that an extension has run.
    @Test(
        arguments: [("9.3.5", false), ("10.0", nil), ("", nil), ("x", nil), ("-1", nil), ("17", nil)]
            as [(String, Bool?)]
    )
    func noExtensionRunsBelowTen(version: String, isEligible: Bool?) throws {
        for type in ["sent", "arrived"] {
            let event = try Self.event { ($0.type, $0.osVersion) = (type, version) }
            #expect(event.isEligible == (type == "sent" ? isEligible : nil))
        }
        let told = try Self.event { ($0.type, $0.osVersion, $0.nseEligible) = ("sent", version, true) }
        #expect(told.isEligible == true)
    }

    @Test func aConversionHasAValueInACurrency() throws {
        let event = try Self.event {
            $0.type = "converted"
            $0.valueMicros = 49_900_000
            $0.currency = "eur"
        }
        #expect(
            event.kind == .converted && event.value == ConversionValue(micros: 49_900_000, currency: "EUR")
        )
        #expect(try Self.event { $0.type = "converted" }.value == nil)
        // Another event has no value, whatever it says.
        #expect(try Self.event { $0.valueMicros = -1 }.value == nil)
    }

    private static let refused: [(String, PushEventTests.Change)] = [
        ("app_version.too_long", { ($0.type, $0.appVersion) = ("sent", String(repeating: "1", count: 65)) }),
        ("os_version.malformed", { ($0.type, $0.osVersion) = ("sent", "17\n") }),
        (
            "device_model.too_long",
            { ($0.type, $0.deviceModel) = ("sent", String(repeating: "é", count: 33)) }
        ),
        ("country.malformed", { ($0.type, $0.country) = ("sent", "Germany") }),
        ("country.malformed", { ($0.type, $0.country) = ("sent", "é") }),
        ("currency.malformed", { ($0.type, $0.valueMicros, $0.currency) = ("converted", 1, "€") }),
        ("currency.missing", { ($0.type, $0.valueMicros) = ("converted", 1) }),
        ("value_micros.missing", { ($0.type, $0.currency) = ("converted", "EUR") }),
        ("value_micros.out_of_range", { ($0.type, $0.valueMicros, $0.currency) = ("converted", -1, "EUR") }),
        (
            "value_micros.out_of_range",
            { ($0.type, $0.valueMicros, $0.currency) = ("converted", 1_000_000_000_000_001, "EUR") }
        ),
    ]

    @Test(arguments: Self.refused)
    func aFieldThatCannotBeIsNamed(code: String, change: @Sendable (inout PushEventDraft.Message) -> Void)
        throws
    {
        #expect(try PushEventDraft(change).refusal()?.reason.code == code)
        // A device loses no arrival for the sake of a label.
        let arrival = try PushEventDraft {
            change(&$0)
            $0.type = "arrived"
        }.event()
        #expect(arrival.segments == PushSegments())
    }

    @Test func aSegmentHasAKeyOfItsOwn() throws {
        let message = CohortKey(provider: "apns", appBundle: "com.example.app", messageID: "m")
        let key = CohortKey(ofAppOf: message, segment: "3=2/1", by: .appVersion, sentAt: PushEventDraft.sent)
        #expect(
            String(decoding: key.recordKey, as: UTF8.self).hasSuffix(
                "/all/2026-11-21/app_version%3D3%3D2%2F1"
            )
        )
        var statistics = PushStatisticsRecord(of: key)
        #expect(
            statistics.window == .segment(.appVersion, "3=2/1", day: "2026-11-21") && statistics.key == key
        )
        statistics.accepted = 10
        statistics.rejected = 3
        statistics.rejectedReasons = ["Unregistered": 1, "NotRegistered": 1, "BadDeviceToken": 1]
        (statistics.shown, statistics.attachmentsShown, statistics.opened, statistics.converted) = (
            8, 4, 2, 1
        )
        statistics.conversionValueMicros = ["EUR": 49_900_000]
        #expect(
            statistics.unregistered == 2 && statistics.attachmentRate == 0.5
                && statistics.conversionRate == 0.5
        )
        for format in [ValueFormat.json, .protobuf] {
            let record = InboundRecord(
                topic: "push-arrival.stats",
                partition: 0,
                offset: 0,
                timestamp: 0,
                key: key.recordKey,
                value: statistics.encoded(as: format),
                headers: [RecordHeader("content-type", format.contentType)]
            )
            #expect(try PushStatisticsRecord(decoding: record) == statistics)
        }
    }
}
