import EmbeddedBroker
import Records
import Testing
import WorkerTestSupport

/// The requests that change something, over real HTTP in front of a broker.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ChangeTests {
    static let letters = (0..<3).map { Letters.letter(offset: $0) }

    /// The form of a dry run of everything that is open, as a browser would have it.
    private func dryRun(_ stage: Stage, _ query: String = "state=open") async throws -> (
        visitor: Visitor, plan: String
    ) {
        _ = try await stage.page("/", once: { $0.contains("3 open dead letters") })
        let visitor = try await Visitor(port: stage.port).signedIn(on: "/plan?\(query)")
        let again = Visitor(port: stage.port, cookie: visitor.cookie, token: visitor.token)
        let page = try await again.get("/plan?\(query)")
        return (again, try #require(Visitor.value(of: "plan", in: page.body)))
    }

    @Test func replaysWhatTheDryRunShowedAndFollowsHowItEnds() async throws {
        try await Stage.run(letters: Self.letters) { stage in
            let (visitor, plan) = try await self.dryRun(stage)
            let begun = try await visitor.post(
                "/replays",
                [("plan", plan), ("because", "the upstream is back"), ("confirmed", "yes")]
            )
            #expect(begun.status == 303)
            let address = try #require(begun.headers["location"])
            let replayed = try await stage.records(of: Stage.originalTopic, atLeast: 3)
            #expect(replayed.count == 3)
            #expect(replayed.allSatisfy { $0.header("dlq.replay_id") != nil })
            let fates = ["succeeded", "succeeded", "dead_lettered"]
            try await Stage.publish(
                zip(replayed, fates).map { Letters.outcome(of: $0, $1) },
                to: stage.broker
            )
            let sentence = "3 replayed: 2 succeeded, 1 dead again, 0 open"
            #expect(try await stage.page(address, once: { $0.contains(sentence) }).contains(sentence))
            // A letter that has succeeded is not replayed by force, and the page says so.
            _ = try await stage.page("/letters?state=succeeded", once: { $0.contains("/letters/dl-") })
            let forced = try await visitor.get("/plan?state=succeeded&force=yes").body
            #expect(forced.contains("has succeeded") && forced.contains("nothing would be replayed"))
            let again = try await visitor.get("/plan?state=succeeded&again=yes").body
            #expect(again.contains("2 letters have succeeded after a replay before"))
            #expect(again.contains("2 of them are to succeed a second time"))
            let trail = try await stage.page("/audit", once: { $0.contains("the upstream is back") })
            #expect(trail.contains("<td>ada</td>"))
            // Sent twice, the form does its work once.
            let second = try await visitor.post(
                "/replays",
                [("plan", plan), ("because", "once more"), ("confirmed", "yes")]
            )
            #expect(second.status == 400)
        }
    }

    @Test func changesNothingWithoutTheTokenOfTheSession() async throws {
        try await Stage.run(letters: Self.letters) { stage in
            let (visitor, plan) = try await self.dryRun(stage)
            let fields = [("plan", plan), ("because", "a good reason"), ("confirmed", "yes")]
            let wrongs = [
                Visitor(port: stage.port, cookie: visitor.cookie),
                Visitor(port: stage.port, cookie: visitor.cookie, token: String(repeating: "0", count: 64)),
                Visitor(port: stage.port, token: visitor.token),
                Visitor(
                    port: stage.port,
                    cookie: "dead-letters-session=0123456789abcdef0123456789abcdef",
                    token: visitor.token
                ),
            ]
            for wrong in wrongs {
                #expect(try await wrong.post("/replays", fields).status == 403)
                #expect(try await wrong.post("/discards", fields).status == 403)
                #expect(try await wrong.post("/restores", fields).status == 403)
                #expect(try await wrong.post("/letters/dl-0/reveal", fields).status == 403)
                #expect(try await wrong.post("/letters/dl-0/edit", fields).status == 403)
                #expect(try await wrong.post("/mend", fields).status == 403)
            }
            for origin in [
                "https://evil.example", "null", "http://127.0.0.1:1", "http://127.0.0.1:\(stage.port).evil",
            ] {
                #expect(try await visitor.post("/replays", fields, ["Origin": origin]).status == 403)
            }
            #expect(
                try await visitor.post("/replays", fields, ["Sec-Fetch-Site": "cross-site"]).status == 403
            )
            #expect(try await stage.records(of: Stage.originalTopic, atLeast: 0).isEmpty)
            // And with everything right it is taken, so that it was none of the rest that was wrong.
            let own = ["Origin": "http://127.0.0.1:\(stage.port)", "Sec-Fetch-Site": "same-origin"]
            #expect(try await visitor.post("/replays", fields, own).status == 303)
        }
    }

    @Test func aReplayNeedsAReasonAndAConfirmation() async throws {
        try await Stage.run(letters: Self.letters) { stage in
            let (visitor, plan) = try await self.dryRun(stage)
            for fields in [
                [("plan", plan), ("confirmed", "yes")],
                [("plan", plan), ("confirmed", "yes"), ("because", "  x   ")],
                [("plan", plan), ("because", "a good reason")],
                [("plan", "r-0000000000"), ("because", "a good reason"), ("confirmed", "yes")],
            ] {
                #expect(try await visitor.post("/replays", fields).status == 400)
            }
            #expect(try await stage.records(of: Stage.originalTopic, atLeast: 0).isEmpty)
        }
    }

    @Test func somebodyElsesDryRunCannotBeConfirmed() async throws {
        try await Stage.run(letters: Self.letters) { stage in
            let (_, plan) = try await self.dryRun(stage)
            let other = try await Visitor(port: stage.port).signedIn(on: "/plan?state=open")
            let fields = [("plan", plan), ("because", "a good reason"), ("confirmed", "yes")]
            #expect(try await other.post("/replays", fields).status == 400)
            #expect(try await stage.records(of: Stage.originalTopic, atLeast: 0).isEmpty)
        }
    }

    @Test func aGetChangesNothing() async throws {
        try await Stage.run(letters: Self.letters) { stage in
            let (visitor, plan) = try await self.dryRun(stage)
            let query = "plan=\(plan)&because=a+good+reason&confirmed=yes&csrf=\(visitor.token ?? "")"
            for path in [
                "/replays", "/discards", "/restores", "/letters/dl-0/reveal", "/replays/r-0/stop", "/plan",
                "/discard", "/restore", "/mend", "/letters/dl-0/edit",
            ] {
                _ = try await visitor.get("\(path)?\(query)")
            }
            for method in ["PUT", "DELETE", "PATCH", "OPTIONS"] {
                let answer = try await visitor.http.request(
                    method,
                    "/replays?\(query)",
                    headers: ["Host": visitor.host, "Cookie": visitor.cookie ?? ""]
                )
                #expect(answer.status == 405)
            }
            #expect(try await stage.records(of: Stage.originalTopic, atLeast: 0).isEmpty)
            #expect(try await visitor.get("/audit").body.contains("Nobody has done anything yet."))
            #expect(try await visitor.get("/").body.contains("3 open dead letters"))
        }
    }

    @Test func aRevealIsInTheTrailBeforeAnythingIsShown() async throws {
        try await Stage.run(letters: Self.letters) { stage in
            let (visitor, _) = try await self.dryRun(stage)
            let list = try await visitor.get("/letters").body
            let start = try #require(list.firstRange(of: "/letters/dl-"))
            let id = "dl-" + list[start.upperBound...].prefix(32)
            let masked = try await visitor.get("/letters/\(id)").body
            #expect(!masked.contains(Letters.secret))
            #expect(!masked.contains("10.11.12.13"))
            #expect(masked.contains("112233"))
            let hasty = try await visitor.post("/letters/\(id)/reveal", [("because", "")])
            #expect(hasty.status == 400)
            #expect(!hasty.body.contains(Letters.secret))
            let shown = try await visitor.post("/letters/\(id)/reveal", [("because", "the customer asked")])
            #expect(shown.status == 200)
            #expect(shown.body.contains(Letters.secret))
            // The answer came after the record was acknowledged, so it is there now.
            let trail = try await stage.records(of: "dead-letters.audit", atLeast: 1)
            let text = String(decoding: try #require(trail.first?.value), as: UTF8.self)
            #expect(
                text.contains("\"reveal\"") && text.contains("the customer asked") && text.contains("ada")
            )
            #expect(text.contains(id))
            // Without a trail nothing is shown.
            await stage.broker.stop()
            let blind = try await visitor.post("/letters/\(id)/reveal", [("because", "nobody would know")])
            #expect(blind.status == 500)
            #expect(!blind.body.contains(Letters.secret))
        }
    }

    @Test func discardsWithAReasonAndNeverReplaysThat() async throws {
        try await Stage.run(letters: Self.letters) { stage in
            let (visitor, replay) = try await self.dryRun(stage)
            let page = try await visitor.get("/discard?state=open")
            let plan = try #require(Visitor.value(of: "plan", in: page.body))
            let answer = try await visitor.post(
                "/discards",
                [("plan", plan), ("because", "a test of yesterday"), ("confirmed", "yes")]
            )
            #expect(answer.status == 200)
            #expect(answer.body.contains("3 letters discarded"))
            _ = try await stage.page("/", once: { $0.contains("No open dead letters") })
            // The dry run that was shown before: what has been discarded since stays.
            let begun = try await visitor.post(
                "/replays",
                [("plan", replay), ("because", "too late by now"), ("confirmed", "yes")]
            )
            let address = try #require(begun.headers["location"])
            let ended = try await stage.page(address, once: { $0.contains("has been discarded") })
            #expect(ended.contains("has been discarded"))
            #expect(try await stage.records(of: Stage.originalTopic, atLeast: 0).isEmpty)
            let trail = try await stage.page("/audit", once: { $0.contains("a test of yesterday") })
            #expect(trail.contains("a test of yesterday"))
        }
    }

    @Test func bringsBackWhatWasDiscarded() async throws {
        try await Stage.run(letters: Self.letters) { stage in
            let (visitor, _) = try await self.dryRun(stage)
            let page = try await visitor.get("/discard?state=open")
            let plan = try #require(Visitor.value(of: "plan", in: page.body))
            let fields = [("because", "a wrong click"), ("confirmed", "yes")]
            // A plan of the one action is no plan of the other.
            #expect(try await visitor.post("/restores", [("plan", plan)] + fields).status == 400)
            let again = try await visitor.get("/discard?state=open")
            let second = try #require(Visitor.value(of: "plan", in: again.body))
            #expect(try await visitor.post("/discards", [("plan", second)] + fields).status == 200)
            _ = try await stage.page("/", once: { $0.contains("No open dead letters") })

            let list = try await visitor.get("/letters")
            // Without a filter each change names its letters by their state.
            #expect(list.body.contains("href=\"/restore?state=discarded\""))
            #expect(list.body.contains("href=\"/plan?state=open\""))
            let all = try await visitor.get("/restore?state=discarded")
            #expect(all.body.contains("Bring back 3 letters"))
            let back = try await visitor.get("/restore?class=exhausted")
            #expect(back.body.contains("Bring back 3 letters"))
            #expect(back.body.contains("<code>dead-letters restore --class exhausted</code>"))
            let third = try #require(Visitor.value(of: "plan", in: back.body))
            let answer = try await visitor.post("/restores", [("plan", third)] + fields)
            #expect(answer.status == 200)
            #expect(answer.body.contains("3 letters brought back"))
            let open = try await stage.page("/letters?state=open", once: { $0.contains("Discard these") })
            #expect(open.contains("Discard these") && !open.contains("/restore?"))
        }
    }

    @Test func stopsAReplayAndLeavesTheRestOpen() async throws {
        let letters = (0..<40).map { Letters.letter(offset: $0) }
        try await Stage.run(letters: letters) { stage in
            _ = try await stage.page("/", once: { $0.contains("40 open dead letters") })
            let visitor = try await Visitor(port: stage.port).signedIn(on: "/plan?state=open&rate=2")
            let again = Visitor(port: stage.port, cookie: visitor.cookie, token: visitor.token)
            let page = try await again.get("/plan?state=open&rate=2")
            let plan = try #require(Visitor.value(of: "plan", in: page.body))
            let fields = [("plan", plan), ("because", "the upstream is back"), ("confirmed", "yes")]
            let begun = try await again.post("/replays", fields)
            let address = try #require(begun.headers["location"])
            _ = try await stage.records(of: Stage.originalTopic, atLeast: 1)
            let other = try #require(
                Visitor.value(of: "plan", in: try await again.get("/plan?state=open").body)
            )
            let second = try await again.post(
                "/replays",
                [("plan", other), ("because", "me as well, please"), ("confirmed", "yes")]
            )
            #expect(second.status == 409)
            #expect(try await again.post(address + "/stop", []).status == 303)
            let ended = try await stage.page(address, once: { $0.contains("It was stopped.") })
            #expect(ended.contains("It was stopped."))
            // The numbers add up to what was planned: 150 replayed and 4,794 left were once all that was said of 4,994.
            let numbers = try #require(
                ended.firstMatch(of: /([0-9]+) of 40 letters were sent\.(?s:.*?)([0-9]+) letters left\./)
            )
            #expect(try #require(Int(numbers.1)) + #require(Int(numbers.2)) == 40)
            let sent = try await stage.records(of: Stage.originalTopic, atLeast: 1)
            #expect(sent.count < 40)
            let trail = try await stage.page("/audit", once: { $0.contains(">stop") || $0.contains("stop ") })
            #expect(trail.contains("<td>stop"))
        }
    }
}
