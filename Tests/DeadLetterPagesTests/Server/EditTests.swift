import EmbeddedBroker
import Foundation
import Records
import Testing
import WorkerTestSupport

@testable import DeadLetterPages

/// Payloads that are changed in a browser, over real HTTP in front of a broker.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct EditTests {
    private static let payment = Letters.activation.replacing("MOBILEAPP_ACTIVITE", with: "MOBILEAPP_COST")

    /// Payments whose value is no whole number, and a record that has another fault.
    static let letters =
        (0..<4).map { place in
            Letters.letter(
                offset: Int64(place),
                reason: "field.wrong_type",
                value: Array(Self.payment.replacing("}", with: #","value":"49.90"}"#).utf8)
            )
        } + [
            Letters.letter(
                offset: 4,
                reason: "field.wrong_type",
                value: Array(#"{"appId":"112233","value":{"amount":1}}"#.utf8)
            )
        ]

    private func visitor(_ stage: Stage) async throws -> Visitor {
        _ = try await stage.page("/", once: { $0.contains("5 open dead letters") })
        let visitor = try await Visitor(port: stage.port).signedIn(on: "/mend?state=open")
        return Visitor(port: stage.port, cookie: visitor.cookie, token: visitor.token)
    }

    /// The id of a letter by the offset of its record.
    private func id(_ offset: Int, _ visitor: Visitor) async throws -> String {
        let page = try await visitor.get("/letters?reason=field.wrong_type").body
        let row = try #require(
            page.split(separator: "<tr>").first { $0.contains("\(Stage.originalTopic)/0/\(offset)<") }
        )
        let start = try #require(row.firstRange(of: "href=\"/letters/"))
        return String(row[start.upperBound...].prefix { $0 != "\"" })
    }

    /// Letters that no replay can help are to be mended first.
    @Test(arguments: ["no", "after_fix", "yes"])
    func theMainButtonIsTheOneThatHelps(replayable: String) async throws {
        let letters = (0..<2).map { Letters.letter(offset: $0, replayable: replayable) }
        try await Stage.run(letters: letters) { stage in
            let groups = try await stage.page("/", once: { $0.contains("2 open dead letters") })
            let address = try #require(groups.firstMatch(of: #/href="(/letters\?group=[^"]+)"/#)).1
            let visitor = try await Visitor(port: stage.port).signedIn(on: "/mend?state=open")
            let page = try await visitor.get(String(address).replacing("&amp;", with: "&")).body
            let primary = page.matches(of: #/<a class="button primary"[^>]*>([^<]*)</#).map { String($0.1) }
            #expect(primary == [replayable == "no" ? "Mend these …" : "Dry run of these"])
        }
    }

    @Test func aLetterIsEditedCheckedAndReplayedOnce() async throws {
        try await Stage.run(letters: Self.letters) { stage in
            let visitor = try await self.visitor(stage)
            let id = try await self.id(0, visitor)
            #expect(try await visitor.get("/letters/\(id)").body.contains("/letters/\(id)/edit"))
            let asked = try await visitor.get("/letters/\(id)/edit").body
            #expect(asked.contains("Why do you edit it?") && !asked.contains(Letters.secret))
            #expect(try await visitor.post("/letters/\(id)/edit", [("because", "x")]).status == 400)

            let why = ("because", "the price had decimals")
            let shown = try await visitor.post("/letters/\(id)/edit", [why])
            #expect(shown.status == 200 && shown.body.contains(Letters.secret))
            #expect(try await stage.page("/audit", once: { $0.contains("edit \(id)") }).contains("reveal"))

            // The page says what is wrong, where, and keeps what was typed.
            let wrong = Self.payment.replacing("}", with: ",\r\n\"value\":\"49.90\"}")
            let refused = try await visitor.post("/letters/\(id)/edit", [why, ("payload", wrong)])
            #expect(refused.status == 400 && refused.body.contains("line 2, column "))
            #expect(refused.body.contains("&quot;value&quot; has to be a whole number"))
            #expect(refused.body.contains("2 | &quot;value&quot;:&quot;49.90&quot;}"))

            let right = Self.payment.replacing("}", with: #","value":"4990"}"#)
            let planned = try await visitor.post("/letters/\(id)/edit", [why, ("payload", right)])
            #expect(planned.status == 200 && planned.body.contains("1 record would go"))
            #expect(planned.body.contains("value: &quot;49.90&quot; → &quot;4990&quot;"))
            #expect(!planned.body.contains(Letters.secret))
            let plan = try #require(Visitor.value(of: "plan", in: planned.body))
            let begun = try await visitor.post("/replays", [why, ("plan", plan), ("confirmed", "yes")])
            #expect(begun.status == 303)
            let replayed = try await stage.records(of: Stage.originalTopic, atLeast: 1)
            #expect(replayed.map { $0.value } == [Array(right.utf8)])
            #expect(replayed.first?.header("dlq.edited") != nil)
            #expect(try await stage.page("/audit", once: { $0.contains("<td>edit") }).contains("<td>edit"))
        }
    }

    @Test func whatATextFieldCannotHoldIsEditedElsewhere() async throws {
        let long = #"{"note":""# + String(repeating: "x", count: EditModel.textLimit) + #""}"#
        let letters = [
            Letters.letter(offset: 0, reason: "field.wrong_type", value: Array(long.utf8)),
            Letters.letter(offset: 1, reason: "field.wrong_type", value: Array("a\u{202E}b".utf8)),
            Letters.letter(offset: 2, reason: "field.wrong_type", value: [0xFF, 0x00]),
            Letters.letter(offset: 3), Letters.letter(offset: 4),
        ]
        try await Stage.run(letters: letters) { stage in
            let visitor = try await self.visitor(stage)
            for offset in 0..<3 {
                let id = try await self.id(offset, visitor)
                #expect(!(try await visitor.get("/letters/\(id)").body.contains("/edit")))
                let answer = try await visitor.post("/letters/\(id)/edit", [("because", "a good reason")])
                #expect(answer.status == 409 && answer.body.contains("dead-letters edit \(id)"))
            }
            // Nothing was shown, so nothing is in the audit trail.
            #expect(!(try await visitor.get("/audit").body.contains("a good reason")))
        }
    }

    @Test func allLettersOfAFilterAreMendedByOneScript() async throws {
        try await Stage.run(letters: Self.letters) { stage in
            let visitor = try await self.visitor(stage)
            let filter = [("reason", "field.wrong_type")]
            #expect(try await visitor.get("/letters?reason=field.wrong_type").body.contains("/mend?reason="))
            let nothing = try await visitor.get("/mend")
            #expect(nothing.status == 400 && !nothing.body.contains("dead-letters edit"))
            // The form shows the command before there is a script.
            let empty = try await visitor.get("/mend?reason=field.wrong_type").body
            #expect(empty.contains("dead-letters edit --reason field.wrong_type --with "))
            #expect(empty.contains("rename OLD to NEW"))
            for script in ["", "valu\u{e9}", "set"] {
                let answer = try await visitor.post("/mend", filter + [("script", script)])
                #expect(answer.status == 400 && answer.body.contains("class=\"alert\""))
            }
            let script = "# cents\r\nmultiply value by 100\r\nconvert value to number"
            let planned = try await visitor.post("/mend", filter + [("script", script)])
            #expect(planned.status == 200 && planned.body.contains("4 records would go"))
            #expect(planned.body.contains("value: &quot;49.90&quot; → 4990"))
            #expect(planned.body.contains("What cannot be changed so"))
            #expect(
                planned.body.contains(
                    "--with &#39;multiply value by 100&#39; --with &#39;convert value to number&#39;"
                )
            )
            let plan = try #require(Visitor.value(of: "plan", in: planned.body))
            let begun = try await visitor.post(
                "/replays",
                [("plan", plan), ("because", "the price had decimals"), ("confirmed", "yes")]
            )
            #expect(begun.status == 303)
            let replayed = try await stage.records(of: Stage.originalTopic, atLeast: 4)
            #expect(replayed.count == 4)
            #expect(
                replayed.allSatisfy {
                    String(decoding: $0.value ?? [], as: UTF8.self).contains("\"value\":4990")
                }
            )
            let trail = try await stage.page("/audit", once: { $0.contains("the price had decimals") })
            #expect(trail.contains("reason=field.wrong_type multiply value; convert value"))
        }
    }
}
