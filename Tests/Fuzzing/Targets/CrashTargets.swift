import Glibc

@testable import ServiceKit
@testable import WorkerKit

extension FuzzTarget {
    /// The text of a crash ledger, as it may lie on the disk.
    static let crashLedger = FuzzTarget(
        "crash-ledger",
        longestInput: 2_048,
        words: [
            CrashClaims.title, "activation/3/1042 9f3a0c55d2e1b874\n", " 01d7c3b2a4f5e698", "/2147483647/",
            "9223372036854775807", "/-1/",
        ]
    ) { input in
        let text = String(decoding: input, as: UTF8.self)
        guard let (ledger, strangeLines) = CrashLedger.read(text) else {
            return try claim("what begins as a ledger is one", !text.hasPrefix(CrashClaims.title))
        }
        try claim(
            "lines are counted once",
            strangeLines <= text.utf8.count(where: { $0 == UInt8(ascii: "\n") })
        )
        try CrashClaims.check(ledger)
        try CrashClaims.check(ledger, beside: strangeLines, in: text)
    }

    /// The bytes that stand in a slot behind its magic number, when its worker has died.
    static let crashMark = FuzzTarget(
        "crash-mark",
        longestInput: 504,
        words: ["\u{1}\0\0\0\0\0\0\0", "\u{A}\0\0\0activation", "\0\0\0\0\0\0\0\0"]
    ) { input in
        _ = try? CrashMark.read(input)
        let slot =
            Array(CrashMark.blank(run: 0).prefix(8) + input) + [UInt8](repeating: 0, count: 504 - input.count)
        let mark: CrashMark?
        do throws(CrashMark.Fault) {
            mark = try CrashMark.read(slot)
        } catch {
            try claim("what has our number is ours", error == .senseless)
            return try claim("what is senseless was meant as a mark", CrashClaims.isSet(slot) != 0)
        }
        try claim("a mark means a record", (mark != nil) == (CrashClaims.isSet(slot) == 1))
        guard let mark else { return }
        try claim("a slot says again what it said", try CrashClaims.written(mark) == mark)
        try claim("what was written stands there", slot[40...].starts(with: mark.place.topic.utf8))
    }
}

private enum CrashClaims {
    static let title = "flotilla crash ledger 1\n"

    static func check(_ ledger: CrashLedger) throws {
        try claim("a ledger fits its file", ledger.text.utf8.count <= CrashLedger.bytesLimit)
        try claim("a ledger has a bound", ledger.deaths.count <= CrashLedger.recordsLimit)
        let counts = ledger.deaths.values
        try claim(
            "deaths are counted, up to a limit",
            counts.allSatisfy { 1...CrashLedger.deathsLimit ~= $0 }
        )
        let (again, strangeLines) = try Objection.unless(
            CrashLedger.read(ledger.text),
            "what is written is read"
        )
        try claim("what is written is read as the same", again == ledger && strangeLines == 0)
    }

    /// A record dies, comes back, and is settled, in a file that may hold anything beside it.
    static func check(_ ledger: CrashLedger, beside strangeLines: Int, in text: String) throws {
        guard let place = CrashLedger.Place(topic: "canary", partition: 0, offset: 7) else { return }
        let line = "\ncanary/0/7 00000000000073a1\n"
        var (read, stillStrange) = try Objection.unless(
            CrashLedger.read(text + line),
            "one more line is read"
        )
        var charged = ledger
        charged.charge(place, with: 0x73A1)
        try claim("a line means a death", read == charged && stillStrange == strangeLines)
        read.charge(place, with: 0x73A1)
        try claim("nobody dies of the same run twice", read == charged)
        try claim("what is settled is forgotten", read.forgive(place) && read.deaths[place] == nil)
        try claim(
            "nobody else is",
            ledger.deaths.allSatisfy { $0.key == place || read.deaths[$0.key] == $0.value }
        )
    }

    static func isSet(_ slot: [UInt8]) -> UInt64 {
        unsafe slot.withUnsafeBytes {
            UInt64(littleEndian: unsafe $0.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
        }
    }

    /// The mark as a worker leaves it in its slot, read from the file after its end.
    static func written(_ mark: CrashMark) throws -> CrashMark? {
        let stream = unsafe try Objection.unless(tmpfile(), "there is room for a file")
        defer { unsafe fclose(stream) }
        let file = unsafe fileno(stream)
        let slot = try Objection.unless(
            CrashSlot(owning: dup(file), run: mark.run),
            "there is room for a slot"
        )
        // The earlier content of the slot is shorter, longer, or of another row of records.
        slot.mark(topic: "another-topic", partition: .max, offset: .max)
        slot.clear()
        slot.mark(topic: mark.place.topic, partition: mark.place.partition, offset: mark.place.offset)
        let bytes = try Objection.unless(
            CrashFolder.contents(of: file, limit: CrashMark.bytes),
            "a slot is read"
        )
        return try CrashMark.read(bytes)
    }
}
