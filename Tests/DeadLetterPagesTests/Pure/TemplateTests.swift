import DeadLetters
import Testing
import WebPages

@testable import DeadLetterPages

/// Text from outside is shown, and does nothing.
struct TemplateTests {
    static let hostile = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'onfocus='alert(1)",
        "{{frame.token}}",
        "{{{evil}}}", "&lt;b&gt;", "\u{1B}[2J\u{1B}]0;owned\u{7}", "a\u{202E}b\u{200B}c",
        "</pre></textarea></title>",
    ]

    static func message(_ text: String) throws -> String {
        let visitor = Gate.Visitor(name: text, session: "", token: "the-token", mayAct: true, newCookie: nil)
        let running = ReplayRunner.Running(
            report: ReplayReport(batch: "r-1", planned: 1),
            user: text,
            because: text,
            startedAt: 0
        )
        let standing = IndexWatch.Standing(trouble: text)
        let model = MessageModel(
            frame: Frame(text, at: "/", for: visitor, standing: standing, running: running, now: 0),
            heading: text,
            sentences: [text],
            next: text,
            nextLabel: text
        )
        return try Templates().render(model, with: .message)
    }

    @Test(arguments: Self.hostile)
    func textIsNeverAPartOfThePage(text: String) throws {
        let (hostile, harmless) = (try Self.message(text), try Self.message("x"))
        for sign in ["<", ">", "\"", "'"] {
            #expect(Self.count(sign, in: hostile) == Self.count(sign, in: harmless), "\(sign)")
        }
        #expect(
            !hostile.unicodeScalars.contains {
                $0.value < 0x20 && $0 != "\n" || [0x202E, 0x200B].contains($0.value)
            }
        )
        // Text that looks like a template is not read as one.
        #expect(Self.count("the-token", in: hostile) == Self.count("the-token", in: harmless))
    }

    private static func count(_ sign: String, in text: String) -> Int {
        text.split(separator: sign, omittingEmptySubsequences: false).count
    }

    @Test func whatHidesIsWrittenOut() {
        #expect(ShownContent().escapeText("a\u{202E}b\u{1B}") == "a\\u{202e}b\\u{1b}")
        #expect(ShownContent().escapeText("<a href=\"x\">'&") == "&lt;a href=&quot;x&quot;&gt;&#39;&amp;")
    }

    @Test(arguments: Templates.Name.allCases)
    func noTemplateAsksForAnythingUnescaped(name: Templates.Name) {
        let text = Templates.text(name)
        #expect(!text.contains("{{{") && !text.contains("{{&"))
        // Script and style come from files of ours, or the policy of the page would forbid them.
        #expect(!text.contains("style=") && !text.contains("<style") && !text.contains(" on" + "click"))
        let scripts = text.split(separator: "<script").dropFirst()
        #expect(scripts.allSatisfy { $0.hasPrefix(" src=\"/script.js\"") })
    }

    /// A value in an attribute without quotes could begin another attribute.
    @Test(arguments: Templates.Name.allCases)
    func everyAttributeIsQuoted(name: Templates.Name) {
        #expect(Templates.text(name).firstMatch(of: /\s[\w-]+=[^"\s]/) == nil)
    }

    @Test(arguments: Templates.Name.allCases)
    func everyFormCarriesTheToken(name: Templates.Name) {
        for form in Templates.text(name).split(separator: "<form").dropFirst()
        where form.contains("method=\"post\"") {
            #expect(form.split(separator: "</form>")[0].contains("name=\"csrf\" value=\"{{frame.token}}\""))
        }
    }
}
