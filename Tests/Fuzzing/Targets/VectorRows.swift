import TestMaterial

@testable import WireFormats

/// The vectors of the other tests, one JSON object a line.
enum VectorRows {
    /// None if the file cannot be read, which the tests' counts of seeds show.
    static func of(_ name: String) -> [[String: FoundationJSON]] {
        self.lines(of: name).compactMap { FoundationJSON($0)?.members }
    }

    static func lines(of name: String) -> [[UInt8]] { VectorFile.lines(name).map { Array($0.utf8) } }
}

extension [String: FoundationJSON] {
    func text(_ name: String) -> String? {
        if case .text(let text) = self[name] { text } else { nil }
    }

    func integer(_ name: String) -> Int64? {
        if case .number(let number) = self[name] { number.integer } else { nil }
    }

    /// The bytes that a member holds in base64.
    func bytes(_ name: String) -> [UInt8]? { self.text(name).flatMap { Base64.decode($0.utf8) } }
}
