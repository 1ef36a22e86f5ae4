import Foundation
import SwiftProtobuf
import TestMaterial
import Testing
import WebPages
import WireMessages

@testable import PushArrivalPages

/// The read API and the exports, and the OpenAPI document that describes them.
struct ReadAPITests {
    private static func answer(_ path: String, _ query: String, _ messages: [PushStatistics]) throws
        -> PageAnswer
    {
        PageReader.get(path, query, of: try PageReader.pages(messages))
    }

    private static func object(_ answer: PageAnswer) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
    }

    private static func samples(_ count: Int) -> [PushStatistics] {
        (0..<count).map { Samples.message("m-\($0)", updatedAt: PageReader.now - Int64($0) * 1_000) }
    }

    // MARK: Answers

    @Test func aPageOfMessagesHasItsSums() throws {
        let answer = try Self.answer("/api/v1/messages", "limit=2&page=2&sort=message", Self.samples(5))
        #expect(answer.status == .ok)
        let document = try Self.object(answer)
        let messages = try #require(document["messages"] as? [[String: Any]])
        #expect(messages.map { $0["messageId"] as? String } == ["m-2", "m-3"])
        #expect(messages.first?["arrived"] as? Int == 96_310 && messages.first?["sentAt"] is String)
        #expect(document["page"] as? Int == 2 && document["limit"] as? Int == 2)
        let totals = try #require(document["totals"] as? [String: Any])
        #expect(totals["messages"] as? Int == 5 && totals["arrived"] as? Int == 5 * 96_310)
    }

    @Test func oneMessageIsTheRecordOfTheTopic() throws {
        let message = Samples.message(updatedAt: PageReader.now)
        let answer = try Self.answer("/api/v1/message", PageReader.address(message), [message])
        let read = try PushStatistics(jsonUTF8Bytes: answer.body)
        #expect(read.lagSketchIndex == message.lagSketchIndex && read.arrived == message.arrived)
        #expect(try Self.answer("/api/v1/message", "id=nobody", [message]).status == .notFound)
        #expect(try Self.answer("/api/v1/message", "", [message]).status == .badRequest)
    }

    @Test(arguments: ["limit=0", "limit=1001", "limit=x", "page=0", "from=2026", "sort=nothing", "order=1"])
    func aFieldThatCannotBeReadIsRefused(query: String) throws {
        let answer = try Self.answer("/api/v1/messages", query, Self.samples(1))
        #expect(answer.status == .badRequest)
        let faults = try #require(try Self.object(answer)["faults"] as? [String])
        #expect(faults.count == 1 && faults[0].hasPrefix("The field \(query.prefix { $0 != "=" }) "))
    }

    @Test func exportsHaveTheSameRowsAndNoFormulas() throws {
        var messages = Self.samples(3)
        messages[0].campaignID = "=HYPERLINK(\"http://evil\")"
        let table = try Self.answer("/export.csv", "sort=message", messages)
        let lines = String(decoding: table.body, as: UTF8.self).split(separator: "\r\n")
        #expect(lines.count == 4)
        #expect(lines[0].hasPrefix("\"provider\",\"appBundle\",\"messageId\""))
        #expect(lines[1].contains("\"'=HYPERLINK(\"\"http://evil\"\")\""))
        let document = try Self.object(try Self.answer("/export.json", "sort=message", messages))
        #expect(
            (document["messages"] as? [[String: Any]])?.map { $0["messageId"] as? String } == [
                "m-0", "m-1", "m-2",
            ]
        )
        #expect(document["leftOut"] as? Int == 0)
        #expect(
            table.headers.contains { $0.name == "Content-Disposition" && $0.value.contains("attachment") }
        )
    }

    // MARK: The OpenAPI document

    private static func file() throws -> Data {
        let file = URL(filePath: #filePath).appending(path: "../../../../Schemas/openapi/push-arrivals.json")
        return try Data(contentsOf: file.standardized)
    }

    private static func openAPI() throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: try Self.file()) as? [String: Any])
    }

    /// A schema of the document, which objects to members that it does not describe.
    private static func schema(_ pointer: String) throws -> JSONSchema {
        try JSONSchema(Array(try Self.file()), at: pointer, isClosed: true)
    }

    private static func member(_ object: Any?, _ names: String...) -> Any? {
        names.reduce(object) { ($0 as? [String: Any])?[$1] }
    }

    @Test func theDocumentDescribesWhatTheAPIAnswers() throws {
        var odd = PushStatistics()
        (odd.messageID, odd.window, odd.arrived) = ("odd", "cohort", 3)
        var segment = PushStatistics()
        (segment.messageID, segment.window, segment.day) = ("all", "segment", "2026-09-20")
        (segment.segmentBy, segment.segment, segment.accepted) = ("country", "DE", 100)
        let messages = Self.samples(3) + [odd, segment]
        for (path, query, status) in [
            ("/api/v1/messages", "", "200"), ("/api/v1/messages", "limit=0", "400"),
            ("/api/v1/message", "id=nobody", "404"), ("/api/v1/message", "", "400"),
            ("/api/v1/comparison", "campaign=spring-sale", "200"),
            ("/api/v1/comparison", "campaign=spring-sale&measure=no", "400"),
            ("/api/v1/arrivals", "day=2026-09-21", "200"), ("/api/v1/arrivals", "day=x", "400"),
            ("/api/v1/segments", "", "200"), ("/api/v1/segments", "day=x", "400"),
            ("/api/v1/comparison", "campaign=none", "404"), ("/export.json", "", "200"),
            ("/export.csv", "sort=no", "400"),
        ] {
            let answer = try Self.answer(path, query, messages)
            #expect(String(answer.status.rawValue) == status)
            let place = "paths/\(path.replacing("/", with: "~1"))/get/responses/\(status)/content"
            let schema = try Self.schema("#/\(place)/application~1json/schema")
            #expect(try schema.objections(to: answer.body) == [], "\(path)")
        }
        // The check above can fail.
        let faults = try Self.schema("#/components/schemas/Faults")
        #expect(try faults.objections(to: Array(#"{"faults":[1],"more":true}"#.utf8)).count == 2)
    }

    @Test func theDocumentNamesEveryPathAndField() throws {
        let document = try Self.openAPI()
        let paths = try #require(document["paths"] as? [String: Any])
        #expect(
            Set(paths.keys) == [
                "/api/v1/messages", "/api/v1/message", "/api/v1/comparison", "/api/v1/arrivals",
                "/api/v1/segments", "/export.json", "/export.csv",
            ]
        )
        func fields(_ path: String) -> Set<String> {
            let all = Self.member(document, "paths", path, "get", "parameters") as? [[String: Any]] ?? []
            return Set(all.compactMap { $0["name"] as? String })
        }
        #expect(fields("/export.csv") == Set(MessageQuery.names))
        #expect(fields("/export.json") == Set(MessageQuery.names))
        #expect(fields("/api/v1/messages") == Set(MessageQuery.names + ["page", "limit"]))
        #expect(fields("/api/v1/arrivals") == Set(TimesQuery.names))
        #expect(fields("/api/v1/segments") == Set(SegmentsQuery.names))
        #expect(fields("/api/v1/comparison") == Set(ComparisonQuery.names))
        #expect(fields("/api/v1/message") == ["provider", "app", "id", "day"])
        let parameters = Self.member(document, "paths", "/api/v1/messages", "get", "parameters")
        let sort = (parameters as? [[String: Any]])?.first { $0["name"] as? String == "sort" }
        #expect(
            Self.member(sort, "schema", "enum") as? [String] == MessageOrder.Column.allCases.map(\.rawValue)
        )
    }
}
