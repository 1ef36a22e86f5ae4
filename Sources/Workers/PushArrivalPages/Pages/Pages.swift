import WebPages
import WireFormats

/// The answers to all requests. The pages change nothing, so the dashboard needs no sessions and no cookies.
struct Pages: Sendable {
    let door: Door
    let templates: Templates
    let board: StatisticsBoard
    let standing: ReadingStanding
    let topic: String
    /// Returns the wall-clock time in milliseconds since 1970.
    let now: @Sendable () -> Int64

    /// Answers a request. An error becomes a page with the status 500, and is never thrown.
    func answer(_ request: PageRequest) -> PageAnswer {
        if let refusal = self.door.refusal(of: request) { return refusal }
        guard request.method == .get else {
            var answer = Self.plain(.methodNotAllowed, "Here is only something to look at.")
            answer.headers.append(("Allow", "GET, HEAD"))
            return answer
        }
        do {
            return try self.look(request)
        } catch {
            return Self.plain(.failed, "That page could not be made.")
        }
    }

    private static func plain(_ status: PageAnswer.Status, _ sentence: String) -> PageAnswer {
        PageAnswer(status, "text/plain; charset=utf-8", body: sentence + "\n")
    }

    /// Returns the page, the asset or the document of a path, or a page that says that there is none.
    private func look(_ request: PageRequest) throws -> PageAnswer {
        if let answer = try ReadAPI(board: self.board, now: self.now()).answer(request) { return answer }
        return switch request.path {
        case "/": try self.list(request)
        case "/message": try self.message(request)
        case "/compare": try self.comparison(request)
        case "/time": try self.times(request)
        case "/segments": try self.segments(request)
        case "/assets/style.css": PageAnswer(.ok, "text/css; charset=utf-8", body: Assets.style)
        case "/assets/script.js": PageAnswer(.ok, "text/javascript; charset=utf-8", body: Assets.script)
        case "/assets/icon.svg": PageAnswer(.ok, "image/svg+xml", body: Assets.icon)
        default: try self.notice("There is no such page", [])
        }
    }

    private func list(_ request: PageRequest) throws -> PageAnswer {
        let now = self.now()
        let model = ListModel(
            self.board.newest,
            request.query,
            frame: self.frame("Messages", now),
            now: now
        )
        return .page(try self.templates.render(model, with: request.wantsFragment ? .listLive : .list))
    }

    private func message(_ request: PageRequest) throws -> PageAnswer {
        guard let key = CohortKey(request.query), let statistics = self.board.statistics(of: key) else {
            let limit = Shown.number(self.board.limit)
            return try self.notice(
                "Nothing is known of that message",
                [
                    self.standing.now.phase == .live
                        ? "It has no statistics, or is not among the \(limit) messages that were updated last."
                        : "The statistics are still being read: it may turn up in a moment."
                ]
            )
        }
        let now = self.now()
        let model = MessageModel(statistics, frame: self.frame(key.title, now), now: now)
        return .page(try self.templates.render(model, with: request.wantsFragment ? .messageLive : .message))
    }

    private func comparison(_ request: PageRequest) throws -> PageAnswer {
        let now = self.now()
        let model = ComparisonModel(
            self.board.newest,
            request.query,
            frame: self.frame("Compare variants", now),
            now: now
        )
        let template: Templates.Name = request.wantsFragment ? .comparisonLive : .comparison
        return .page(try self.templates.render(model, with: template))
    }

    private func times(_ request: PageRequest) throws -> PageAnswer {
        let now = self.now()
        let model = TimesModel(
            self.board.newest,
            request.query,
            frame: self.frame("Over time", now),
            now: now
        )
        return .page(try self.templates.render(model, with: request.wantsFragment ? .timesLive : .times))
    }

    private func segments(_ request: PageRequest) throws -> PageAnswer {
        let now = self.now()
        let model = SegmentsModel(self.board, request.query, frame: self.frame("Segments", now), now: now)
        return .page(
            try self.templates.render(model, with: request.wantsFragment ? .segmentsLive : .segments)
        )
    }

    /// The values of a page that has only sentences.
    private struct Notice: Sendable {
        var frame: Frame
        var heading: String
        var sentences: [String]
    }

    private func notice(_ heading: String, _ sentences: [String]) throws -> PageAnswer {
        let notice = Notice(frame: self.frame(heading, self.now()), heading: heading, sentences: sentences)
        return .page(try self.templates.render(notice, with: .notice), .notFound)
    }

    private func frame(_ title: String, _ now: Int64) -> Frame {
        Frame(title, self.standing.now, topic: self.topic, now: now)
    }
}

extension PageRequest {
    /// Whether the request asks only for the changing part of a page that the browser already shows.
    fileprivate var wantsFragment: Bool { self.headers["x-fragment"] == "live" }
}
