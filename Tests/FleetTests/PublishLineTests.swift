import Records
import Testing

@testable import Fleet

/// Lines of `fleet publish`, and the headers that all of them get.
struct PublishLineTests {
    private func headers(_ line: String, isEnvelope: Bool, _ arguments: String...) throws -> [String] {
        let headers = try arguments.map { try #require(HeaderArgument(argument: $0)).header }
        let parser = PublishLine.Parser(
            topic: "activation",
            keyField: nil,
            isEnvelope: isEnvelope,
            headers: headers
        )
        return try parser.record(of: Array(line.utf8)).headers.map {
            "\($0.name)=\(String(decoding: $0.value ?? [], as: UTF8.self))"
        }
    }

    @Test func eachRecordGetsTheHeadersOfTheCommand() throws {
        #expect(
            try self.headers(
                #"{"n":1}"#,
                isEnvelope: false,
                "not-before=2026-11-29T20:00:00Z",
                "a=b=c",
                "empty="
            )
                == ["content-type=application/json", "not-before=2026-11-29T20:00:00Z", "a=b=c", "empty="]
        )
        #expect(
            try self.headers(#"{"n":1}"#, isEnvelope: false, "content-type=application/cloudevents+json")
                == ["content-type=application/cloudevents+json"]
        )
        #expect(
            try self.headers(#"{"value":1,"headers":{"own":"x"}}"#, isEnvelope: true, "a=b") == [
                "own=x", "a=b",
            ]
        )
    }

    @Test(arguments: ["", "=", "=b", "name"]) func aHeaderHasANameAndAnEqualsSign(_ text: String) {
        #expect(HeaderArgument(argument: text) == nil)
    }
}
