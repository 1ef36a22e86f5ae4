import ServiceKit
import Testing
import WireFormats

@testable import PushStatistics

@Suite struct DeviceTableTests {
    @Test(arguments: [1, 2, 3] as [UInt64]) func holdsWhatADictionaryHolds(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var table = DeviceTable(seed: random.next())
        var known: [Fingerprint: DeviceRecord] = [:]
        for _ in 0..<60_000 {
            // Half of them come again. Few high words, so that the low bits have to tell them apart.
            let fingerprint = Fingerprint(high: random.next() % 20_000, low: random.next() % 2)
            let kind = PushEvent.Kind.allCases[Int(random.next() % 7)]
            let time = Int64(random.next() % (1 << 38))
            table.withRecord(of: fingerprint) {
                $0.note(kind)
                $0.time = .sent(time)
            }
            known[fingerprint, default: DeviceRecord(fingerprint)].note(kind)
            known[fingerprint]?.time = .sent(time)
        }
        #expect(table.count == known.count)
        for (fingerprint, record) in known {
            let found = table.withRecord(of: fingerprint) { $0 }
            #expect(found == record)
        }
        var seen = 0
        table.forEach { record in
            seen += 1
            #expect(known[record.fingerprint] == record)
        }
        #expect(seen == known.count)
    }

    @Test func takesAtMost32BytesADevice() {
        var random = SplitMix64(seed: 7)
        var table = DeviceTable(seed: 99)
        for count in 1...300_000 {
            table.withRecord(of: Fingerprint(high: random.next(), low: random.next())) { $0.note(.arrived) }
            guard count >= 1_000, table.byteCount > 32 * count else { continue }
            Issue.record("\(table.byteCount) bytes for \(count) devices")
        }
        #expect(table.byteCount <= 26 * 300_000)
    }

    @Test func whatIsLeftWithoutAFlagIsNotKept() {
        var table = DeviceTable(seed: 1)
        let fingerprint = Fingerprint(high: 0, low: 0)
        table.withRecord(of: fingerprint) { _ in }
        #expect(table.count == 0)
        table.withRecord(of: fingerprint) { $0.note(.opened) }
        #expect(table.count == 1)
        let found = table.withRecord(of: fingerprint) { $0 }
        #expect(found.has(.opened) && !found.has(.sent))
    }

    /// A sender that does not know the seed cannot choose devices that all want one place.
    @Test func aSeedMovesEveryDevice() {
        var random = SplitMix64(seed: 3)
        var places: [DeviceTable] = [DeviceTable(seed: 1), DeviceTable(seed: 2)]
        let devices = (0..<100).map { _ in Fingerprint(high: random.next(), low: random.next()) }
        for index in places.indices {
            for device in devices { places[index].withRecord(of: device) { $0.note(.sent) } }
        }
        var orders: [[Fingerprint]] = []
        for table in places {
            var order: [Fingerprint] = []
            table.forEach { order.append($0.fingerprint) }
            orders.append(order)
        }
        #expect(orders[0] != orders[1])
        #expect(Set(orders[0]) == Set(orders[1]))
    }

    @Test func aTimeSurvivesBesideFlagsAndFingerprint() {
        var record = DeviceRecord(Fingerprint(high: .max, low: .max))
        record.note(.dismissed)
        for time: DeviceRecord.Time in [
            .none, .sent(0), .sent(1 << 38 - 1), .arrivedUnsent(12_345, isAdjusted: false),
            .arrivedUnsent(12_345, isAdjusted: true),
        ] {
            record.time = time
            #expect(record.time == time)
            #expect(record.fingerprint == Fingerprint(high: .max, low: .max))
            #expect(record.has(.dismissed) && !record.has(.arrived))
        }
        record.time = .sent(1 << 50)
        #expect(record.time == .sent(1 << 38 - 1))
        record.time = .sent(-5)
        #expect(record.time == .sent(0))
    }
}
