@testable import WireFormats

extension FuzzTarget {
    /// Our scanner and Foundation's parser, side by side.
    static let jsonObject = FuzzTarget(
        "json-object",
        words: [
            "true", "false", "null", "\\u00e9", "\\ud83d\\ude00", "\"ret\":", "1e3", "-0.5", "{\"a\":{}}",
        ]
    ) { input in
        let ours = JSONObject(input)
        let theirs = FoundationJSON(input)?.members
        guard JSONClaims.isReadAlike(input) else { return }
        if let theirs, FoundationJSON.object(theirs).depth <= JSONClaims.depthLimit,
            !JSONClaims.isForgiven(input)
        {
            let ours = try Objection.unless(ours, "what Foundation takes for an object, we do")
            try JSONClaims.check(ours, theirs)
        } else if ours != nil {
            try claim(
                "what we take for an object, Foundation does",
                theirs != nil || JSONClaims.isStrange(input)
            )
        }
    }
}

private enum JSONClaims {
    static let depthLimit = 32

    /// Foundation guesses at UTF-16 and UTF-32, where every other byte of plain JSON is a zero, does not take what is
    /// no Unicode, which we read with replacements, and takes marks of byte order out of the middle of strings.
    static func isReadAlike(_ text: [UInt8]) -> Bool {
        guard let unicode = String(validating: text, as: UTF8.self)?.unicodeScalars else { return false }
        return !text.contains(0) && !unicode.dropFirst().contains("\u{FEFF}")
    }

    static func check(_ ours: JSONObject, _ theirs: [String: FoundationJSON]) throws {
        for (name, value) in theirs {
            switch value {
            case .null: try claim("null is nothing", ours.value(name) == nil)
            case .text(let text): try claim("a string says the same", ours.string(name) == text)
            case .number(let number):
                let integer = ours.integer(name)
                let read = integer.map { FoundationJSON.Number(double: Double($0), integer: $0) }
                let isSame = number.integer.map { $0 == integer } ?? read.map { $0 == number } ?? true
                try claim("a number is the same", isSame || self.isWord(ours, name))
            case .list: try claim("a list is a list", ours.value(name)?.first == UInt8(ascii: "["))
            case .object: try claim("an object is an object", ours.value(name)?.first == UInt8(ascii: "{"))
            }
        }
    }

    /// Whether it is true or false, which Foundation has for 1 and 0.
    private static func isWord(_ object: JSONObject, _ name: String) -> Bool {
        ["true", "false"].contains(String(decoding: object.value(name) ?? [], as: UTF8.self))
    }

    /// Whether it holds what Foundation takes and JSON does not: a comma before a closing bracket.
    static func isForgiven(_ text: [UInt8]) -> Bool {
        let text = text.filter { !$0.isJSONWhiteSpace }
        return zip(text, text.dropFirst()).contains { $0 == UInt8(ascii: ",") && "]}".utf8.contains($1) }
    }

    /// Whether it holds what JSON allows and Foundation refuses: half a surrogate pair, or a number beyond a Double.
    static func isStrange(_ text: [UInt8]) -> Bool {
        let text = String(decoding: text, as: UTF8.self).lowercased()
        return text.contains("\\ud") || text.contains("e")
    }
}
