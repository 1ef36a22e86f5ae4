import Testing
import WorkerTestSupport

/// Each flow of the pages in a real browser: by the keyboard alone, and with the mouse where no script may run.
@Suite(.serialized, .enabled(if: BrowserSetting.driver != nil), .timeLimit(.minutes(5)))
struct FlowTests {
    enum Way: CaseIterable, Sendable {
        case keyboard
        case mouseWithoutScripts
    }

    /// Tab never reaches the element.
    private struct OutOfReach: Error {
        var selector: String
    }

    /// A person in front of the browser.
    private struct Person {
        let browser: Browser
        let way: Way
        let home: String

        /// Presses a link or a button.
        func press(_ selector: String) async throws {
            guard way == .keyboard else { return try await self.browser.click(selector) }
            try await self.reach(selector)
            try await self.browser.press(.enter)
        }

        func tick(_ selector: String) async throws {
            guard way == .keyboard else { return try await self.browser.click(selector) }
            try await self.reach(selector)
            try await self.browser.press(.space)
        }

        func write(_ text: String, into selector: String) async throws {
            guard way == .keyboard else { return try await self.browser.type(text, into: selector) }
            try await self.reach(selector)
            try await self.browser.type(text)
        }

        private func reach(_ selector: String) async throws {
            guard try await self.browser.tab(to: selector, atMost: 200) != nil else {
                throw OutOfReach(selector: selector)
            }
        }

        func open(_ path: String) async throws { try await self.browser.open(self.home + path) }

        /// Waits for words of an element.
        func expect(_ words: String, in selector: String = "h1") async throws {
            let text = try await self.browser.text(of: selector, once: { $0.contains(words) })
            #expect(text.contains(words), "\(selector)")
        }

        /// Says why, and that it is meant.
        func confirm(because why: String) async throws {
            try await self.write(why, into: ".confirm #because")
            try await self.tick("#confirmed")
            try await self.press(".confirm button")
        }
    }

    private func drive(_ stage: Stage, _ way: Way, _ body: (Person) async throws -> Void) async throws {
        try await Browser.drive { browser in
            if way == .mouseWithoutScripts { try await browser.forbidScripts() }
            try await body(Person(browser: browser, way: way, home: "http://localhost:\(stage.port)"))
        }
    }

    @Test(arguments: Way.allCases)
    func lettersAreDiscardedAndBroughtBack(way: Way) async throws {
        try await Stage.run(letters: (0..<3).map { Letters.letter(offset: $0) }) { stage in
            _ = try await stage.page("/", once: { $0.contains("3 open dead letters") })
            try await self.drive(stage, way) { person in
                try await person.open("/letters?state=open")
                try await person.press("main a[href^='/discard?']")
                try await person.expect("Discard 3 letters")
                try await person.confirm(because: "a test of yesterday")
                try await person.expect("3 letters discarded", in: "main")
                _ = try await stage.page("/", once: { $0.contains("No open dead letters") })
                try await person.open("/letters?state=discarded")
                try await person.press("main a[href^='/restore?']")
                try await person.expect("Bring back 3 letters")
                try await person.confirm(because: "a wrong click")
                try await person.expect("3 letters brought back", in: "main")
                _ = try await stage.page("/", once: { $0.contains("3 open dead letters") })
            }
        }
    }

    @Test(arguments: Way.allCases)
    func aReplayIsStopped(way: Way) async throws {
        try await Stage.run(letters: (0..<40).map { Letters.letter(offset: $0) }) { stage in
            _ = try await stage.page("/", once: { $0.contains("40 open dead letters") })
            try await self.drive(stage, way) { person in
                try await person.open("/plan?state=open&rate=1")
                try await person.confirm(because: "the upstream is back")
                try await person.expect("of 40 sent", in: "#live")
                try await person.press("form[action$='/stop'] button")
                try await person.expect("It was stopped.", in: "#live")
                try await person.expect("of 40 letters were sent.", in: "#live")
            }
            let sent = try await stage.records(of: Stage.originalTopic, atLeast: 1)
            #expect(sent.count < 40)
        }
    }

    @Test(arguments: Way.allCases)
    func aFaultIsShownAndAGroupIsMended(way: Way) async throws {
        try await Stage.run(letters: EditTests.letters) { stage in
            _ = try await stage.page("/", once: { $0.contains("5 open dead letters") })
            try await self.drive(stage, way) { person in
                try await person.open("/letters?where=conversionType+%3D+%22MOBILEAPP_COST%22")
                try await person.press("table.letters tbody th a")
                try await person.expect("What it means", in: ".guide h2")
                try await person.press(".guide a[href$='/edit']")
                try await person.expect("Why do you edit it?", in: "#h-why")
                try await person.write("the price had decimals", into: ".reveal #because")
                try await person.press(".reveal button")
                try await person.expect("Payload", in: "label[for=payload]")
                try await person.press("main form button.primary")
                try await person.expect("whole number", in: "#complaint")
                try await person.open("/mend?reason=field.wrong_type")
                try await person.write(
                    "multiply value by 100\nconvert value to number",
                    into: "#script"
                )
                try await person.press("main form button.primary")
                try await person.expect("Dry run: 4 records would go")
                try await person.confirm(because: "the price had decimals")
                try await BrowserTests().work(stage, records: 4, failing: 0)
                try await person.expect("4 replayed: 4 succeeded, 0 dead again, 0 open", in: "#outcome")
            }
        }
    }

    @Test(arguments: Way.allCases)
    func aGroupGetsAnAssigneeAndANote(way: Way) async throws {
        try await Stage.run(letters: [Letters.letter(offset: 0)]) { stage in
            _ = try await stage.page("/", once: { $0.contains("1 open dead letter") })
            try await self.drive(stage, way) { person in
                try await person.open("/")
                try await person.press("table.groups tbody th a")
                try await person.expect("It has nobody to look after it yet.", in: ".notes .words")
                try await person.press(".notes summary")
                try await person.write("ben", into: "#assignee")
                try await person.press(".notes form[action$=assign] button")
                try await person.expect("ben looks after it.", in: ".notes .words")
                try await person.press(".notes summary")
                try await person.write("The client of tenant cn is to blame.", into: "#note")
                try await person.press(".notes form[action$=note] button")
                try await person.expect("ada: The client of tenant cn is to blame.", in: ".notes li")
            }
        }
    }
}
