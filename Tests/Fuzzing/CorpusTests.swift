import Foundation
import Testing

/// Every input of the kept corpus, through the decoder it is for: what fuzzing has found stays found.
@Suite struct CorpusTests {
    struct Input: Sendable, CustomTestStringConvertible {
        var target: FuzzTarget
        var name: String
        var bytes: [UInt8]

        var testDescription: String { "\(self.target.name)/\(self.name)" }
    }

    static let corpus = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")

    static func files(in folder: String) -> [String] {
        let files = try? FileManager.default.contentsOfDirectory(
            atPath: self.corpus.appending(path: folder).path()
        )
        return (files ?? []).sorted()
    }

    static let inputs: [Input] = FuzzTarget.all.flatMap { target in
        files(in: target.name).compactMap { name in
            let file = corpus.appending(path: "\(target.name)/\(name)")
            return (try? Data(contentsOf: file)).map { Input(target: target, name: name, bytes: Array($0)) }
        }
    }

    /// The rows of the vectors, where a target has such.
    static let seeds: [Input] = FuzzTarget.all.flatMap { target in
        target.seeds().enumerated().map { number, seed in
            Input(target: target, name: "seed-\(number)", bytes: seed)
        }
    }

    @Test(arguments: inputs + seeds)
    func holds(input: Input) throws {
        try input.target.run(input.bytes)
    }

    /// Every target holds for an input that is cut short, also in the middle of a line or of a character.
    @Test(arguments: inputs + seeds)
    func holdsOfWhatIsCutShort(input: Input) throws {
        for part in 0..<8 { try input.target.run(Array(input.bytes.prefix(input.bytes.count * part / 8))) }
    }

    @Test func everyTargetHasInputsAndEveryInputATarget() {
        #expect(Self.files(in: "") == FuzzTarget.all.map(\.name).sorted())
        #expect(FuzzTarget.all.allSatisfy { !Self.files(in: $0.name).isEmpty })
        #expect((Self.inputs + Self.seeds).allSatisfy { $0.bytes.count <= $0.target.longestInput })
    }

    /// Rows that can no longer be read would be missed by nobody else.
    @Test(arguments: [
        ("app-receipt", 14), ("app-receipt-verified", 14), ("signed-data", 24), ("signed-data-parts", 22),
        ("transaction-receipt", 7), ("old-property-list", 13), ("verify-receipt-answer", 32),
        ("app-store-answer", 23), ("devicecheck-answer", 28), ("devicecheck-record", 6), ("private-key", 22),
        ("push-event", 15), ("push-payload", 15),
    ])
    func everyRowOfTheVectorsIsASeed(target: String, count: Int) {
        #expect(Self.seeds.count { $0.target.name == target } == count)
    }

    @Test func theCorpusIsSmall() {
        #expect(Self.inputs.count <= 240)
        #expect(Self.inputs.map(\.bytes.count).reduce(0, +) <= 64 << 10)
    }

    @Test func objectsToWhatDoesNotHold() {
        #expect(throws: Objection.self) { try claim("one is two", 1 == 2) }
        #expect(throws: Objection.self) { try Objection.unless(nil as Int?, "there is one") }
    }
}
