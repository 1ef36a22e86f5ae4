import WebPages
import WireMessages

@testable import PushArrivalPages

/// Renders the pages without a server.
enum PageReader {
    static let now: Int64 = 1_790_000_000_000

    static func pages(
        _ messages: [PushStatistics],
        _ note: (ReadingStanding) -> Void = { $0.became(.live) }
    ) throws -> Pages {
        let (board, standing) = (StatisticsBoard(limit: 2_000), ReadingStanding())
        for message in messages { board.take(try Samples.statistics(message)) }
        note(standing)
        return Pages(
            door: Door(ServedHost("127.0.0.1"), token: nil),
            templates: try Templates(),
            board: board,
            standing: standing,
            topic: Samples.topic,
            now: { Self.now }
        )
    }

    static func get(_ path: String, _ query: String = "", of pages: Pages, fragment: Bool = false)
        -> PageAnswer
    {
        pages.answer(
            PageRequest(
                method: .get,
                path: path,
                query: FormFields(query),
                host: "localhost:9091",
                headers: fragment ? ["x-fragment": "live"] : [:]
            )
        )
    }

    static func page(_ path: String, _ query: String = "", of pages: Pages) -> String {
        String(decoding: Self.get(path, query, of: pages).body, as: UTF8.self)
    }

    static func address(_ message: PushStatistics) -> String {
        var fields = FormFields()
        fields.add("provider", message.provider)
        fields.add("app", message.appBundle)
        fields.add("id", message.messageID)
        fields.add("day", message.day)
        return fields.text
    }

    /// The text of all table cells and headings, without their tags.
    static func words(_ html: String) -> String {
        html.replacing(/<[^>]*>/, with: " ").split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
