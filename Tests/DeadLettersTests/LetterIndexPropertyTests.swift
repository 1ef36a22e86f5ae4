import GRDB
import TestMaterial
import Testing

@testable import DeadLetters

/// In any order of events, the counts are those of the letters, and each letter's state is the one that a plain reading
/// of everything told so far gives it.
@Suite struct LetterIndexPropertyTests {
    /// Everything that has been told, kept as plainly as possible.
    private struct Model {
        var letters: [LetterPosition: (id: LetterID, state: LetterState)] = [:]
        var ledger: [LetterID: (state: LetterState, replay: String?)] = [:]
        var replays: [String: (id: LetterID, state: LetterState)] = [:]
        var endings: [String: [LetterState]] = [:]
        /// The letters whose headers name a replay, and that replay.
        var births: [LetterPosition: (id: LetterID, replay: String)] = [:]

        mutating func take(_ letter: IndexUnderTest.Letter) {
            var state = LetterState.open
            if let replay = letter.replay {
                self.settle(replay, .deadAgain)
                self.births[letter.position] = (letter.id, replay)
                if self.replays[replay] != nil, self.hasSucceeded(letter.id) { state = .succeeded }
            }
            self.letters[letter.position] = (letter.id, self.ledger[letter.id]?.state ?? state)
        }

        /// The letters that are of one record with this one.
        private func family(of id: LetterID) -> Set<LetterID> {
            var (family, next) = (Set([id]), [id])
            while let member = next.popLast() {
                for birth in self.births.values {
                    guard let parent = self.replays[birth.replay]?.id else { continue }
                    for (one, other) in [(parent, birth.id), (birth.id, parent)]
                    where one == member && family.insert(other).inserted {
                        next.append(other)
                    }
                }
            }
            return family
        }

        private func hasSucceeded(_ id: LetterID) -> Bool {
            let family = self.family(of: id)
            return self.replays.values.contains { family.contains($0.id) && $0.state == .succeeded }
        }

        /// Gives the success of a record to its letters that nobody has acted on.
        private mutating func spread(from id: LetterID) {
            guard self.hasSucceeded(id) else { return }
            let family = self.family(of: id)
            for birth in self.births.values where self.ledger[birth.id] == nil {
                guard let parent = self.replays[birth.replay]?.id, family.contains(parent) else { continue }
                self.change(birth.id, .succeeded)
            }
        }

        mutating func take(_ entry: LedgerEntry) {
            let state = entry.action == .replayed ? LetterState.replayed : .discarded
            self.ledger[entry.letter] = (state, entry.replay)
            self.change(entry.letter, state)
            guard let replay = entry.replay else { return }
            if self.replays[replay] == nil { self.replays[replay] = (entry.letter, .replayed) }
            if self.births.values.contains(where: { $0.replay == replay }) { self.spread(from: entry.letter) }
            for ending in self.endings.removeValue(forKey: replay) ?? [] { self.settle(replay, ending) }
        }

        mutating func settle(_ replay: String, _ state: LetterState) {
            guard let known = self.replays[replay] else {
                return self.endings[replay, default: []].append(state)
            }
            guard known.state == .replayed || state == .succeeded && known.state != .succeeded else { return }
            self.replays[replay]?.state = state
            if self.ledger[known.id]?.replay == replay {
                self.ledger[known.id]?.state = state
                self.change(known.id, state)
            }
            if state == .succeeded { self.spread(from: known.id) }
        }

        private mutating func change(_ id: LetterID, _ state: LetterState) {
            for (position, letter) in self.letters where letter.id == id {
                self.letters[position]?.state = state
            }
        }
    }

    private struct World {
        let test: IndexUnderTest
        var model = Model()
        var dice: SeededGenerator
        /// The offsets at which each partition ends and begins.
        var ends: [Int32: Int64] = [0: 0, 1: 0, 2: 0]
        var starts: [Int32: Int64] = [0: 0, 1: 0, 2: 0]
        var replays = 0

        init(seed: UInt64) throws {
            self.test = try IndexUnderTest()
            self.dice = SeededGenerator(seed: seed)
        }

        mutating func step() throws {
            switch self.dice.number(0...9) {
            case 0...3: try self.ingest()
            case 4...6: try self.act()
            case 7: try self.end()
            case 8:
                try self.prune()
                // As at the end of every look, and not after every write.
                try self.test.index.indexLetterIDs()
            default: if self.dice.chance(0.3) { try self.forget() }
            }
        }

        private mutating func ingest() throws {
            let partition = Int32(self.dice.number(0...2))
            var offset = self.ends[partition] ?? 0
            let letters = (0..<self.dice.number(1...25)).map { _ in
                offset += Int64(self.dice.number(1...2))
                // Few sources, so that many letters are written twice and many are in the ledger already.
                var letter = IndexUnderTest.letter(
                    offset,
                    source: self.dice.chance(0.8) ? Int64(self.dice.number(0...60)) : nil,
                    partition: partition,
                    reason: "r-\(self.dice.number(0...4))"
                )
                letter.at += Int64(self.dice.number(-5...5)) * 1_800_000
                if self.dice.chance(0.2) { letter.replay = "r-\(self.dice.number(0...40))" }
                return letter
            }
            self.ends[partition] = offset + 1
            try self.test.take(letters)
            for letter in letters { self.model.take(letter) }
        }

        private mutating func act() throws {
            let entries = (0..<self.dice.number(1...5)).map { _ in
                let id = IndexUnderTest.letter(0, source: Int64(self.dice.number(0...70))).id
                guard self.dice.chance(0.7) else { return LedgerEntry.discarded(id) }
                self.replays += 1
                return LedgerEntry.replayed(id, "r-\(self.replays)")
            }
            try self.test.index.write(entries.map(LedgerNews.entry), [:])
            for entry in entries { self.model.take(entry) }
        }

        private mutating func end() throws {
            let replay = "r-\(self.dice.number(0...60))"
            let fate = self.dice.one(of: ["succeeded", "rejected", "expired", "dead_lettered", "else"])
            try self.test.endings((replay, fate))
            let state = LetterState(fate: fate)
            if state != .replayed { self.model.settle(replay, state) }
        }

        private mutating func prune() throws {
            let partition = Int32(self.dice.number(0...2))
            let (start, end) = (self.starts[partition] ?? 0, self.ends[partition] ?? 0)
            let first = Int64(self.dice.number(Int(start)...Int(end)))
            self.starts[partition] = first
            try self.test.index.prune(self.test.stand("orders.dead-letter", partition), before: first)
            self.remove { $0.partition == partition && $0.offset < first }
        }

        private mutating func forget() throws {
            let partition = Int32(self.dice.number(0...2))
            self.starts[partition] = 0
            self.ends[partition] = 0
            try self.test.index.forget(self.test.stand("orders.dead-letter", partition), restartingAt: 0)
            self.remove { $0.partition == partition }
        }

        private mutating func remove(_ isGone: (LetterPosition) -> Bool) {
            self.model.letters = self.model.letters.filter { !isGone($0.key) }
            self.model.births = self.model.births.filter { !isGone($0.key) }
        }

        func check(_ place: Comment) throws {
            #expect(try self.test.buckets() == self.test.recount(), place)
            var copies = LetterFilter()
            copies.positions = Array(self.model.letters.keys)
            let states = Dictionary(
                uniqueKeysWithValues: try self.test.letters(copies).map { ($0.position, $0.state) }
            )
            if !self.model.letters.isEmpty {
                #expect(states == self.model.letters.mapValues(\.state), place)
            }
            // Until the end of the first look, a letter counts as often as it was written.
            guard try self.test.index.pool.read({ try LetterIndex.knowsIDs(in: $0) }) else { return }
            let ids = try self.test.letters().map(\.id)
            #expect(ids.count == Set(ids).count, place)
            #expect(Set(ids) == Set(self.model.letters.values.map(\.id)), place)
        }
    }

    @Test(arguments: UInt64(1)...6)
    func countsAndStatesAreThoseOfWhatWasTold(seed: UInt64) throws {
        var world = try World(seed: seed)
        for step in 1...60 {
            try world.step()
            try world.check("seed \(seed), step \(step)")
        }
        #expect(world.model.letters.count > 20 && world.model.replays.count > 10)
    }
}
