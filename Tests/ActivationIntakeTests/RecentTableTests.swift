import TestMaterial
import Testing

@testable import ActivationIntake

/// The table against a plain list of everything that was ever seen.
struct RecentTableTests {
    /// Each turn once had an entry of its own, and to drop them took as long as there were turns, again and again.
    @Test func whatIsSeenAgainInTheSameMomentHasOneTurn() {
        var table = RecentTable()
        let key = RecentTable.Key(high: 1, low: 0)
        for text in 0..<1_000 { table.remember(key, RecentTable.Entry(seen: 7, text: [UInt8(text % 250)])) }
        #expect(table.turnCount == 1 && table.byteCount < 200)
        table.forget(key)
        table.remember(key, RecentTable.Entry(seen: 7, text: []))
        #expect(table.forgetOldest(before: 8) == key && table.count == 0)
    }

    @Test(arguments: 0..<20)
    func remembersWhatAPlainListRemembers(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var table = RecentTable()
        var list: [RecentTable.Key: RecentTable.Entry] = [:]
        for now in 0..<2_000 as Range<Int64> {
            let key = RecentTable.Key(high: .random(in: 0..<200, using: &random), low: 0)
            if Int.random(in: 0..<20, using: &random) == 0 {
                table.forget(key)
                list[key] = nil
            } else {
                let text = [UInt8](repeating: 1, count: .random(in: 0..<9, using: &random))
                table.remember(key, RecentTable.Entry(seen: now, text: text))
                list[key] = RecentTable.Entry(seen: now, text: text)
            }
            while let old = table.forgetOldest(before: now - 100) {
                #expect((list.removeValue(forKey: old)?.seen ?? .max) < now - 100)
            }
            let kept = list.filter { $0.value.seen >= now - 100 }
            #expect(table.count == kept.count)
            #expect(table.entry(of: key, since: .min) == list[key])
        }
        #expect(!list.isEmpty)
        while table.forgetOldest(before: .max) != nil {}
        #expect(table.count == 0 && table.byteCount == 0)
    }

    /// One device that clicks for ever takes the memory of one device.
    @Test func whatIsSeenAgainTakesNoMoreRoom() {
        var table = RecentTable()
        for now in 0..<10_000 as Range<Int64> {
            table.remember(RecentTable.Key(high: 1, low: 1), RecentTable.Entry(seen: now, text: []))
            #expect(table.byteCount < 20 * 128)
        }
        #expect(table.count == 1)
    }

    @Test func aChangelogGivesTheEntryBack() throws {
        let entry = RecentTable.Entry(seen: -5, text: Array("a b".utf8))
        #expect(RecentTable.Entry(changelog: entry.changelog) == entry)
        for text in ["", "5", "x y", " "] { #expect(RecentTable.Entry(changelog: Array(text.utf8)) == nil) }
        let key = RememberedKey(.click, named: "n")
        #expect(RememberedKey(key.bytes) == key)
        #expect(RememberedKey(Array(key.bytes.dropLast())) == nil)
        #expect(RememberedKey([0] + key.bytes.dropFirst()) == nil)
    }
}
