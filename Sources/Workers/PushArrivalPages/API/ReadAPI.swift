import Foundation
import WebPages
import WireFormats

/// The read API and the exports: the numbers of the board for programs and spreadsheets.
///
/// `Schemas/openapi/push-arrivals.json` describes requests and answers, and a test compares the two.
struct ReadAPI: Sendable {
    let board: StatisticsBoard
    /// The wall-clock time in milliseconds since 1970.
    let now: Int64

    /// Returns the answer to a request for one of the API's paths; nil for any other path.
    ///
    /// - Throws: an error of the JSON encoder.
    func answer(_ request: PageRequest) throws -> PageAnswer? {
        switch request.path {
        case "/api/v1/messages": try self.messages(request.query)
        case "/api/v1/message": try self.message(request.query)
        case "/api/v1/comparison": try self.comparison(request.query)
        case "/api/v1/arrivals": try self.arrivals(request.query)
        case "/api/v1/segments": try self.segments(request.query)
        case "/export.json": try self.json(request.query)
        case "/export.csv": try self.csv(request.query)
        default: nil
        }
    }

    private func messages(_ query: FormFields) throws -> PageAnswer {
        let asked = MessageQuery(query)
        var faults = asked.faults
        let limit = Self.number("limit", query, in: 1...MessagesDocument.pageSizes.largest, faults: &faults)
        let page = Self.number("page", query, in: 1...100_000, faults: &faults)
        guard faults.isEmpty else { return try Self.refused(.badRequest, faults) }
        let document = MessagesDocument(
            asked.selection(of: self.board.newest),
            page: (page ?? 1) - 1,
            limit: limit ?? MessagesDocument.pageSizes.usual
        )
        return try Self.json(document)
    }

    private func message(_ query: FormFields) throws -> PageAnswer {
        guard let key = CohortKey(query) else {
            return try Self.refused(.badRequest, ["The field id is missing."])
        }
        guard let statistics = self.board.statistics(of: key) else {
            return try Self.refused(.notFound, ["The dashboard has no statistics of that message."])
        }
        let text = String(decoding: statistics.encoded(as: .json), as: UTF8.self)
        return PageAnswer(.ok, Self.jsonType, body: text)
    }

    private func comparison(_ query: FormFields) throws -> PageAnswer {
        let asked = ComparisonQuery(query)
        guard asked.campaign != nil else {
            return try Self.refused(.badRequest, asked.faults + ["The field campaign is missing."])
        }
        let comparison = Comparison(asked, board: self.board.newest, now: self.now)
        guard !comparison.known.isEmpty else {
            return try Self.refused(.notFound, ["The dashboard has no message of that campaign."])
        }
        let faults = asked.faults + comparison.faults
        guard faults.isEmpty else { return try Self.refused(.badRequest, faults) }
        return try Self.json(ComparisonDocument(comparison, asked))
    }

    private func arrivals(_ query: FormFields) throws -> PageAnswer {
        let asked = TimesQuery(query, now: self.now)
        guard asked.faults.isEmpty else { return try Self.refused(.badRequest, asked.faults) }
        return try Self.json(ArrivalsDocument(asked.arrivals(of: self.board.newest), now: self.now))
    }

    private func segments(_ query: FormFields) throws -> PageAnswer {
        let asked = SegmentsQuery(query, now: self.now)
        guard asked.faults.isEmpty else { return try Self.refused(.badRequest, asked.faults) }
        return try Self.json(SegmentsDocument(asked.trends(of: self.board.segments), day: asked.day))
    }

    private func json(_ query: FormFields) throws -> PageAnswer {
        let asked = MessageQuery(query)
        guard asked.faults.isEmpty else { return try Self.refused(.badRequest, asked.faults) }
        let document = MessagesDocument(exporting: asked.selection(of: self.board.newest))
        return Self.attached("push-arrivals.json", try Self.json(document))
    }

    private func csv(_ query: FormFields) throws -> PageAnswer {
        let asked = MessageQuery(query)
        guard asked.faults.isEmpty else { return try Self.refused(.badRequest, asked.faults) }
        let document = MessagesDocument(exporting: asked.selection(of: self.board.newest))
        let empty = MessageSummary(PushStatisticsRecord(provider: "", appBundle: "", messageID: ""))
        var text = CSV.line(empty.names) + "\n"
        for message in document.messages { text += CSV.line(message.cells) + "\n" }
        var answer = PageAnswer(.ok, "text/csv; charset=utf-8; header=present", body: text)
        answer.headers.append(("X-Left-Out", String(document.leftOut)))
        return Self.attached("push-arrivals.csv", answer)
    }

    private static let jsonType = "application/json; charset=utf-8"

    private static func json(_ document: some Encodable, _ status: PageAnswer.Status = .ok) throws
        -> PageAnswer
    {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return PageAnswer(
            status,
            self.jsonType,
            body: String(decoding: try encoder.encode(document), as: UTF8.self)
        )
    }

    private static func refused(_ status: PageAnswer.Status, _ faults: [String]) throws -> PageAnswer {
        try self.json(FaultDocument(faults: faults), status)
    }

    private static func attached(_ name: String, _ answer: PageAnswer) -> PageAnswer {
        var answer = answer
        answer.headers.append(("Content-Disposition", "attachment; filename=\"\(name)\""))
        return answer
    }

    /// Reads a whole number; nil if the field is missing. Any other text is a fault.
    private static func number(
        _ name: String,
        _ query: FormFields,
        in range: ClosedRange<Int>,
        faults: inout [String]
    ) -> Int? {
        guard let text = query[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            faults.append("The field \(name) is no number from \(range.lowerBound) to \(range.upperBound).")
            return nil
        }
        return number
    }
}
