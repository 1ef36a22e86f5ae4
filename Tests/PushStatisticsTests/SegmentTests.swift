import ServiceKit
import Testing
import WireFormats

@testable import PushStatistics

/// The segments of devices: counted from the events of messages, by day of sending, and begun by senders only.
@Suite struct SegmentTests {
    /// 2024-05-25T00:00:00Z.
    private static let start: Int64 = 1_716_595_200_000
    private static let day: Int64 = 86_400_000

    private static func event(
        _ kind: PushEvent.Kind,
        _ device: String,
        message: String = "m",
        version: String = "3.2.1",
        sent: Int64? = start,
        at server: Int64 = start + 1_000
    ) -> PushEvent {
        var event = PushEvent(
            kind,
            appBundle: "com.example.app",
            messageID: message,
            deviceID: device,
            sentMS: sent,
            serverMS: server
        )
        event.segments.appVersion = version
        return event
    }

    private static func ledger(source: Int32 = 0) -> ArrivalLedger {
        ArrivalLedger(source: source, rules: CohortRules(), pace: .init(first: .zero), seed: 7)
    }

    /// The state of a ledger, for another one and for the statistics.
    private struct Written {
        var changes: [CohortSnapshot] = []
        var parts: [CohortSnapshot] = []
    }

    private static func collect(_ ledger: ArrivalLedger, at now: Int64 = start + 2_000) -> Written {
        var written = Written()
        ledger.collect(now: now, progress: now, limit: 100_000) { change in
            written.changes.append(change)
        } part: { part in
            written.parts.append(part)
        }
        return written
    }

    /// The statistics of all segments by their names.
    private static func segments(_ parts: [CohortSnapshot]) -> [String: PushStatisticsRecord] {
        let combination = Combination(pace: .init(first: .zero))
        // They are read again from bytes, as they are from Kafka.
        for part in parts {
            if let read = CohortSnapshot(part.encoded()) { combination.take(read, now: Self.start) }
        }
        var all: [String: PushStatisticsRecord] = [:]
        combination.collect(now: Self.start + Self.day) { key, statistics in
            guard case .segment(_, let name, let day) = statistics.window else { return }
            all[day == "2024-05-25" ? name : "\(name) \(day)"] = statistics
        }
        return all
    }

    @Test func eventsCountInTheSegmentOfTheDayOfSending() throws {
        let ledger = Self.ledger()
        for device in ["a", "b", "c"] { _ = ledger.count(Self.event(.sent, device), now: Self.start) }
        _ = ledger.count(Self.event(.sent, "d", version: "3.3"), now: Self.start)
        // A second message of the day, and one of the next day.
        _ = ledger.count(Self.event(.sent, "a", message: "n"), now: Self.start)
        _ = ledger.count(Self.event(.sent, "a", message: "o", sent: Self.start + Self.day), now: Self.start)
        let late = Self.start + Self.day + 7_000
        _ = ledger.count(Self.event(.arrived, "a", at: Self.start + 3_000), now: Self.start)
        _ = ledger.count(Self.event(.arrived, "b", at: late), now: Self.start)
        // A repeat does not count, nor does the arrival at a device that no sender has told of.
        _ = ledger.count(Self.event(.arrived, "b", at: late), now: Self.start)
        #expect(ledger.count(Self.event(.arrived, "z"), now: Self.start).standing == .accepted)
        for kind in [PushEvent.Kind.shown, .attachmentShown, .opened, .dismissed, .converted] {
            _ = ledger.count(Self.event(kind, "a"), now: Self.start)
        }
        let all = Self.segments(Self.collect(ledger).parts)
        #expect(Set(all.keys) == ["3.2.1", "3.3", "3.2.1 2024-05-26"])
        let segment = try #require(all["3.2.1"])
        #expect(segment.accepted == 4 && segment.arrived == 2 && segment.messageID == "all")
        // One of the two was reported within an hour. A segment has no lags and no hours.
        #expect(segment.early == 1 && segment.lag == PushStatisticsRecord.Lag() && segment.hours.isEmpty)
        #expect((segment.shown, segment.attachmentsShown, segment.opened) == (1, 1, 1))
        #expect(segment.dismissed == 1 && segment.converted == 1)
        #expect(all["3.3"]?.accepted == 1 && all["3.2.1 2024-05-26"]?.accepted == 1)
    }

    /// A device can invent any name, so only a sender begins a segment. An event of another name is in none.
    @Test func aDeviceBeginsNoSegment() throws {
        let ledger = Self.ledger()
        for number in 0..<100 {
            let event = Self.event(.arrived, "d-\(number)", version: "invented-\(number)")
            #expect(ledger.count(event, now: Self.start).standing == .accepted)
        }
        #expect(Self.segments(Self.collect(ledger).parts).isEmpty)
        #expect(ledger.cohortCount == 1)
    }

    /// A device often reports before the sender does. Then the sender names the segments.
    @Test(arguments: [start, nil]) func anArrivalBeforeItsSendingCountsWithIt(sent: Int64?) throws {
        let ledger = Self.ledger()
        for kind in [PushEvent.Kind.arrived, .opened] {
            _ = ledger.count(Self.event(kind, "a", version: "3.3", sent: sent), now: Self.start)
        }
        #expect(Self.segments(Self.collect(ledger).parts).isEmpty)
        for _ in 0..<2 { _ = ledger.count(Self.event(.sent, "a"), now: Self.start) }
        let all = Self.segments(Self.collect(ledger).parts)
        let segment = try #require(all["3.2.1"])
        #expect(all.count == 1 && segment.accepted == 1 && segment.arrived == 1 && segment.early == 1)
        #expect(segment.opened == 1 && segment.shown == 0)
    }

    /// The sender's word decides on which day its pushes were sent. A device may say something else, or its push may.
    @Test func anArrivalCountsOnTheDayOfItsSending() throws {
        let ledger = Self.ledger()
        _ = ledger.count(Self.event(.sent, "a", sent: nil, at: Self.start + 5_000), now: Self.start)
        _ = ledger.count(
            Self.event(.arrived, "a", sent: Self.start - 5_000, at: Self.start + 9_000),
            now: Self.start
        )
        let all = Self.segments(Self.collect(ledger).parts)
        #expect(all.count == 1 && all["3.2.1"]?.arrived == 1 && all["3.2.1"]?.early == 1)
    }

    /// A segment stays open until its day is over, however short the allowed lateness is.
    @Test func aSegmentIsOpenForItsWholeDay() throws {
        let rules = CohortRules(allowedLateness: .seconds(3_600), grace: .zero)
        let ledger = ArrivalLedger(source: 0, rules: rules, pace: .init(first: .zero), seed: 7)
        let evening = Self.start + 20 * 3_600_000
        _ = ledger.count(Self.event(.sent, "a"), now: Self.start)
        _ = Self.collect(ledger, at: evening)
        _ = ledger.count(Self.event(.sent, "b", message: "n", sent: evening, at: evening), now: evening)
        let segments = Self.collect(ledger, at: evening + 1).parts.filter { !$0.key.segment.isEmpty }
        #expect(segments.map(\.tally.accepted) == [2] && segments.allSatisfy { !$0.isClosed })
    }

    @Test func aSegmentIsNeverOlderThanAnHour() {
        let pace = EmissionPace(first: .seconds(600))
        let message = CohortKey(provider: "apns", appBundle: "a", messageID: "m")
        let segment = CohortKey(ofAppOf: message, segment: "3", by: .appVersion, sentAt: Self.start)
        #expect(pace.interval(age: 4_000_000, of: message) == 5 * 3_600_000)
        #expect(pace.interval(age: 4_000_000, of: segment) == 3_600_000)
    }

    /// Events that name no message are not told apart by their devices, so one device could report as many as it likes.
    @Test func eventsWithoutAMessageAreInNoSegment() throws {
        let ledger = Self.ledger()
        for kind in [PushEvent.Kind.sent, .arrived] {
            _ = ledger.count(Self.event(kind, "a", message: ""), now: Self.start)
        }
        #expect(Self.segments(Self.collect(ledger).parts).isEmpty)
    }

    /// A sender may call a segment `other` itself.
    @Test func aSegmentCalledOtherTakesNoOtherOnesIn() throws {
        let ledger = Self.ledger()
        for (device, version) in [("a", "other"), ("b", "3.2.1")] {
            _ = ledger.count(Self.event(.sent, device, version: version), now: Self.start)
        }
        #expect(Set(Self.segments(Self.collect(ledger).parts).keys) == ["other", "3.2.1"])
    }

    /// Workers that do not know segments read no snapshot from one, because its histogram does not fit its edges. They
    /// would take it for a message called `all`.
    @Test func oldWorkersReadNoSegment() throws {
        let ledger = Self.ledger()
        _ = ledger.count(Self.event(.sent, "a"), now: Self.start)
        let parts = Self.collect(ledger).parts
        for part in parts {
            // The field 42 again and empty, which replaces the first one: a worker that does not know it sees none.
            let old = CohortSnapshot(part.encoded() + [0xD2, 0x02, 0x00])
            #expect((old == nil) == !part.key.segment.isEmpty)
        }
        #expect(parts.count == 2)
    }

    @Test func segmentsBeyondTheLimitAreCountedTogether() throws {
        let ledger = Self.ledger()
        for number in 0..<60 {
            for kind in [PushEvent.Kind.sent, .arrived] {
                _ = ledger.count(Self.event(kind, "d-\(number)", version: "v\(number)"), now: Self.start)
            }
        }
        let written = Self.collect(ledger)
        let all = Self.segments(written.parts)
        #expect(all.count == 51 && all["v49"]?.arrived == 1 && all["v50"] == nil)
        #expect(all["other"]?.accepted == 10 && all["other"]?.arrived == 10)
        // A worker that takes over counts them in the same way.
        let next = Self.ledger()
        for change in written.changes { next.restore(try #require(CohortSnapshot(change.encoded()))) }
        next.restored(now: Self.start)
        _ = next.count(Self.event(.sent, "e", version: "v99"), now: Self.start)
        _ = next.count(Self.event(.sent, "f", version: "v7"), now: Self.start)
        let later = Self.segments(Self.collect(next).parts)
        #expect(later.count == 51 && later["other"]?.accepted == 11 && later["v7"]?.accepted == 2)
    }

    /// The statistics of a day end with its messages. An event from before does not begin them anew, which would replace
    /// what was published.
    @Test func aDayThatIsOverStaysAsItIs() throws {
        let ledger = Self.ledger()
        _ = ledger.count(Self.event(.sent, "a"), now: Self.start)
        var written = Self.collect(ledger)
        let end = Self.start + 4 * Self.day + 7_200_000
        written.parts += Self.collect(ledger, at: end).parts
        let part = try #require(written.parts.last { $0.key.segment == "app_version=3.2.1" })
        #expect(part.isClosed && part.tally.accepted == 1)
        let forgotten = end + 60 * Self.day
        for now in [end, forgotten] {
            _ = Self.collect(ledger, at: now)
            _ = ledger.count(Self.event(.sent, "b", message: "late", at: now), now: now)
            let parts = Self.collect(ledger, at: now + 1_000).parts
            #expect(!parts.contains { !$0.key.segment.isEmpty && !$0.isClosed })
        }
        // The place of a day that was forgotten is free again.
        #expect(!ledger.segmentCounts.areFull(part.key, limit: 1))
    }

    @Test func theValueOfConversionsHasABound() {
        var values = ConversionValues()
        for number in 0..<40 {
            let currency =
                "C" + String(UnicodeScalar(UInt8(65 + number / 26)))
                + String(UnicodeScalar(UInt8(65 + number % 26)))
            values.add(ConversionValue(micros: 1, currency: currency))
        }
        #expect(values.micros.count == ConversionValues.limit)
        for _ in 0..<20 { values.add(ConversionValue(micros: 1_000_000_000_000_000, currency: "CAA")) }
        #expect(values.micros["CAA"] == 1 << 53)
    }
}

/// The devices in the changelog, which old and new workers read while a fleet is replaced.
@Suite struct StoredDeviceTests {
    private static let times: [DeviceRecord.Time] = [
        .none, .sent(0), .sent(12_345), .sent(1 << 37), .sent(1 << 38 - 1),
        .arrivedUnsent(1 << 37 + 9, isAdjusted: false), .arrivedUnsent(77, isAdjusted: true),
    ]

    @Test(arguments: Self.times) func aDeviceComesBackAsItWas(time: DeviceRecord.Time) {
        var record = DeviceRecord(Fingerprint(high: 0xFEDC_BA98_7654_3210, low: 0x1_5A5A))
        record.time = time
        for kind in [PushEvent.Kind.sent, .attachmentShown, .converted, .dismissed] {
            record.note(kind)
            #expect(StoredDevice(record).record == record)
        }
    }

    /// As it was written before there were attachments and conversions: 17 bits of the fingerprint, 40 of the time, 7 flags.
    @Test func theFirstBytesAreAsTheyWere() {
        var record = DeviceRecord(Fingerprint(high: 7, low: 3))
        record.note(.arrived)
        record.note(.converted)
        record.time = .arrivedUnsent(1 << 37 + 5, isAdjusted: true)
        let middle: UInt64 = 1 << 39
        let low: UInt64 = 3 << 47 | (middle + 5) << 7 | 0b11 << 5 | 1 << 1
        #expect(StoredDevice(record) == StoredDevice(high: 7, low: low, moreFlags: 0b10))
        let old = StoredDevice(high: 7, low: low, moreFlags: 0).record
        #expect(old.time == record.time && old.has(.arrived) && !old.has(.converted))
        #expect(old.fingerprint == record.fingerprint)
    }

    /// Times that no record in memory can hold are moved to the nearest one, as new ones are.
    @Test func aTimeOfLongAgoIsMoved() {
        let stored = StoredDevice(high: 1, low: 1 << 5 | 1, moreFlags: 0)
        #expect(stored.record.time == .sent(0) && stored.record.has(.sent))
    }

    @Test func moreFlagsThatDoNotFitAreNoSnapshot() throws {
        var snapshot = CohortSnapshot(
            key: CohortKey(provider: "apns", appBundle: "a", messageID: "m"),
            campaignID: "",
            source: 0,
            term: 1,
            version: 1,
            isClosed: false,
            tally: Tally(edges: LagHistogram.usualEdges),
            firstSeen: 0,
            lastSeen: 0,
            base: 1_000_000
        )
        var device = DeviceRecord(Fingerprint(high: 7, low: 3))
        device.note(.converted)
        snapshot.devices = [device]
        let bytes = snapshot.encoded()
        #expect(CohortSnapshot(bytes) == snapshot)
        // One byte of flags more than there are devices: the field 43 again, which replaces the first one.
        #expect(CohortSnapshot(bytes + [0xDA, 0x02, 0x02, 1, 1]) == nil)
    }
}
