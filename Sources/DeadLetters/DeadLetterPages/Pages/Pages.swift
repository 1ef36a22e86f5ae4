import DeadLetters
import WebPages
import WireFormats

/// Answers every request of the web pages.
///
/// The pages decide nothing about letters: that is done by the desk, and by the index where no records have
/// to be read.
struct Pages: Sendable {
    let gate: Gate
    let templates: Templates
    /// The desk for looking, which also keeps the index up to date.
    let desk: DeskThread
    let runner: ReplayRunner
    let watch: IndexWatch
    let shelf: PlanShelf
    let index: LetterIndex
    /// Decides which texts of a letter are shown, and makes the marks of the others.
    let mask: LetterMask
    /// Returns the wall-clock time in milliseconds since 1970.
    let now: @Sendable () -> Int64

    /// A request that was accepted, with its user and the time at which it is answered, in milliseconds since
    /// 1970.
    struct Visit: Sendable {
        var request: PageRequest
        var visitor: Gate.Visitor
        var now: Int64
    }

    /// Answers a request. An error becomes a page too.
    func answer(_ request: PageRequest) async -> PageAnswer {
        switch self.gate.judge(request) {
        case .refused(let status, let sentence):
            var answer = PageAnswer(status, "text/plain; charset=utf-8", body: sentence + "\n")
            if status == .unauthorized {
                answer.headers.append(("WWW-Authenticate", "Basic realm=\"dead letters\", charset=\"UTF-8\""))
            }
            return answer
        case .welcome(let visitor):
            if visitor.newCookie != nil, request.isFollowedLink { return Self.onceMore(request) }
            let visit = Visit(request: request, visitor: visitor, now: self.now())
            var answer = await self.answer(visit)
            if let cookie = visitor.newCookie { answer.headers.append(("Set-Cookie", cookie)) }
            return answer
        }
    }

    /// Returns a page that has the browser ask for the same address again, from this site.
    ///
    /// Browsers do not send a strict cookie (`SameSite=Strict`) with a request that follows a link on another
    /// site, such as a chat or an alert. The second request carries it. Setting a new cookie instead would
    /// make the forms in other tabs invalid.
    private static func onceMore(_ request: PageRequest) -> PageAnswer {
        let path = "/" + request.steps.map { FormFields.encode(String($0)) }.joined(separator: "/")
        let query = request.query.text
        let address = ShownContent().escapeText(query.isEmpty ? path : "\(path)?\(query)")
        return .page(
            """
            <!doctype html><html lang="en"><head><title>Dead letters</title>
            <meta http-equiv="refresh" content="0;url=\(address)"></head>
            <body><p><a href="\(address)">Go on</a></p></body></html>
            """
        )
    }

    /// Answers an accepted request by its method.
    private func answer(_ visit: Visit) async -> PageAnswer {
        do {
            switch visit.request.method {
            case .get: return try await self.look(visit)
            case .post: return try await self.act(visit)
            case .other:
                var answer = self.message(
                    visit,
                    .methodNotAllowed,
                    heading: "That cannot be done here",
                    sentences: []
                )
                answer.headers.append(("Allow", "GET, HEAD, POST"))
                return answer
            }
        } catch {
            return self.failure(visit, error)
        }
    }

    /// Answers a GET request: the page or file of its path.
    private func look(_ visit: Visit) async throws -> PageAnswer {
        let steps = visit.request.steps
        // These pages lead to nothing but a change.
        if !visit.visitor.mayAct,
            steps.last == "edit" || ["mend", "discard", "restore"].contains(steps.first)
        {
            return self.message(
                visit,
                .forbidden,
                heading: "You may only look",
                sentences: [Gate.readerMayNot]
            )
        }
        switch steps.first {
        case nil: return try await self.groups(visit)
        case "style.css" where steps.count == 1:
            return PageAnswer(.ok, "text/css; charset=utf-8", body: Assets.style)
        case "script.js" where steps.count == 1:
            return PageAnswer(.ok, "text/javascript; charset=utf-8", body: Assets.script)
        case "icon.svg" where steps.count == 1: return PageAnswer(.ok, "image/svg+xml", body: Assets.icon)
        case "letters" where steps.count == 1: return try await self.letters(visit)
        case "letters" where steps.count == 2: return try await self.letter(visit, String(steps[1]))
        case "letters" where steps.count == 3 && steps[2] == "edit":
            return try await self.askForEdit(visit, String(steps[1]))
        case "mend" where steps.count == 1: return try self.askForScript(visit)
        case "plan" where steps.count == 1: return try await self.plan(visit)
        case "discard" where steps.count == 1: return try await self.aside(.discard, visit)
        case "restore" where steps.count == 1: return try await self.aside(.restore, visit)
        case "replays" where steps.count == 1: return try self.batches(visit)
        case "replays" where steps.count == 2: return try self.batch(visit, String(steps[1]))
        case "audit" where steps.count == 1: return try self.audit(visit)
        case "parked" where steps.count == 1: return try await self.parked(visit)
        case "retention" where steps.count == 1: return try self.retention(visit)
        default: return self.message(visit, .notFound, heading: "There is no such page", sentences: [])
        }
    }

    /// Answers a POST request: does what its path names.
    private func act(_ visit: Visit) async throws -> PageAnswer {
        let steps = visit.request.steps
        switch (steps.first, steps.count, steps.last) {
        case ("letters", 3, "reveal"): return try await self.reveal(visit, String(steps[1]))
        case ("letters", 3, "edit"): return try await self.edit(visit, String(steps[1]))
        case ("groups", 3, "note"): return try await self.note(visit, String(steps[1]))
        case ("groups", 3, "assign"): return try await self.assign(visit, String(steps[1]))
        case ("mend", 1, _): return try await self.mend(visit)
        case ("replays", 1, _): return self.replay(visit)
        case ("replays", 3, "stop"): return try await self.stop(visit, String(steps[1]))
        case ("discards", 1, _): return try await self.asideNow(.discard, visit)
        case ("restores", 1, _): return try await self.asideNow(.restore, visit)
        default: return self.message(visit, .notFound, heading: "Nothing can be done there", sentences: [])
        }
    }

    // MARK: Shared by all pages

    /// Returns the values that the layout of every page needs.
    ///
    /// - Parameter address: the page's address in the navigation; empty if the navigation does not have it.
    func frame(_ title: String, _ visit: Visit, at address: String, command: String? = nil) -> Frame {
        var frame = Frame(
            title,
            at: address,
            for: visit.visitor,
            standing: self.watch.now,
            running: self.runner.running,
            now: visit.now
        )
        frame.command = command
        return frame
    }

    /// Returns a page with a heading, sentences and a link.
    func message(
        _ visit: Visit,
        _ status: PageAnswer.Status,
        heading: String,
        sentences: [String],
        next: String = "/",
        nextLabel: String = "To the groups"
    ) -> PageAnswer {
        let model = MessageModel(
            frame: self.frame(heading, visit, at: ""),
            heading: heading,
            sentences: sentences,
            next: next,
            nextLabel: nextLabel
        )
        do {
            return .page(try self.templates.render(model, with: .message), status)
        } catch {
            return PageAnswer(status, "text/plain; charset=utf-8", body: heading + "\n")
        }
    }

    /// Returns the page for an error.
    private func failure(_ visit: Visit, _ error: any Error) -> PageAnswer {
        switch error {
        case let error as Desk.NoSuchLetter:
            return self.message(
                visit,
                .notFound,
                heading: "There is no such letter",
                sentences: ["\(error)."]
            )
        case let error as Desk.NoSuchGroup:
            return self.message(visit, .notFound, heading: "There is no such group", sentences: ["\(error)."])
        case let error as Desk.Ambiguous:
            return self.message(visit, .notFound, heading: "Which one?", sentences: ["\(error)."])
        case let error as Desk.TooMany:
            return self.message(
                visit,
                .badRequest,
                heading: "That is too much at once",
                sentences: ["There are \(error)."]
            )
        case is DeskThread.Busy:
            return self.message(
                visit,
                .unavailable,
                heading: "Too busy",
                sentences: ["Many others are looking. Try again in a moment."]
            )
        case is DeskThread.Closed:
            return self.message(visit, .unavailable, heading: "The server is stopping", sentences: [])
        case is ReplayRunner.Taken: return self.taken(visit)
        default:
            let text = SafeText.line(ErrorWords.text(error), limit: 500)
            return self.message(
                visit,
                .failed,
                heading: "That did not work",
                sentences: [text, "Nothing more is known about it here."]
            )
        }
    }

    /// Returns the page for a replay or a discard that has to wait for another one.
    func taken(_ visit: Visit) -> PageAnswer {
        self.message(
            visit,
            .conflict,
            heading: "Something else is under way",
            sentences: [
                "One replay or discard at a time. Wait for it, or stop it, and confirm again from a new dry run."
            ],
            next: "/replays",
            nextLabel: "To the replays"
        )
    }
}

/// The values of the template `message`.
struct MessageModel: Sendable {
    var frame: Frame
    var heading: String
    var sentences: [String]
    var next: String
    var nextLabel: String
}
