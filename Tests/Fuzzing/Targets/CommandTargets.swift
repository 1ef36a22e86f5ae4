import ArgumentParser
import UpstreamHTTP

@testable import WorkerKit

extension FuzzTarget {
    /// A line of `interpret`'s input.
    static let interpretCase = FuzzTarget(
        "interpret-case",
        longestInput: 1_024,
        words: [
            "{\"record\":", "\"status\":503", "\"headers\":{\"Retry-After\":\"5\"}", "\"body\":",
            "\"failure\":\"timeout\"",
            "\"attempt\":2", "1e3", "18446744073709551615", "null", "\\u0000",
        ]
    ) { input in
        guard let given = try? InterpretCase(input) else { return }
        let line = try Objection.unless(FoundationJSON(input)?.members, "a case is an object")
        try CommandClaims.check(given.record, line["record"])
        if let body = given.body { try CommandClaims.check(body, line["body"]) }
        do {
            guard case .response(let response) = try given.exchange else { return }
            try claim("a status is one of HTTP's", (100...999).contains(response.status))
        } catch is ValidationError {}
    }
}

private enum CommandClaims {
    /// A string is its text, and everything else still says what it said.
    static func check(_ bytes: [UInt8], _ original: FoundationJSON?) throws {
        if case .text(let text) = original {
            try claim("a string is its text", bytes == Array(text.utf8))
        } else {
            try claim("a value says the same", FoundationJSON(bytes) == original)
        }
    }
}
