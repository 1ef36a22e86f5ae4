import EventThread
package import Foundation
import Glibc

/// A Chromium that is driven through chromedriver, by the HTTP and JSON of WebDriver
/// (https://www.w3.org/TR/webdriver2/).
package final class Browser: @unchecked Sendable {
    // Checked by nobody: one test drives it, one step after the other.
    private let driver: TestProcess
    private let http: PlainHTTP
    private let session: String

    package struct Failure: Error {
        package var what: String
    }

    package enum Scheme: String, CaseIterable, Sendable {
        case light
        case dark
    }

    package enum Key: String {
        case tab = "\u{E004}"
        case enter = "\u{E007}"
        case space = "\u{E00D}"
    }

    /// - Parameter path: of chromedriver.
    package init(driver path: String) async throws {
        let output = Pipe()
        let driver = try TestProcess(path, ["--port=0"], output: .pipe(output))
        do {
            let http = PlainHTTP(port: try Self.port(from: output.fileHandleForReading))
            self.session = try await Self.newSession(http)
            self.http = http
        } catch {
            driver.send(SIGKILL)
            throw error
        }
        self.driver = driver
    }

    private static func newSession(_ http: PlainHTTP) async throws -> String {
        // A sandbox needs rights that root in a container does not have.
        let arguments = [
            "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars",
            "--window-size=1280,900",
        ]
        // In milliseconds, and shorter than anybody waits for an answer.
        let timeouts = ["pageLoad": 30_000, "script": 10_000]
        let capabilities: [String: Any] = [
            "timeouts": timeouts, "goog:chromeOptions": ["args": arguments],
            "goog:loggingPrefs": ["browser": "ALL"],
        ]
        let answer = try await Self.send(
            "POST",
            "/session",
            ["capabilities": ["alwaysMatch": capabilities]],
            over: http
        )
        guard let value = answer as? [String: Any], let id = value["sessionId"] as? String else {
            throw Failure(what: "no session: \(answer)")
        }
        return "/session/\(id)"
    }

    /// It says where it listens as soon as it does.
    private static func port(from output: FileHandle, within longest: Duration = .seconds(30)) throws -> Int {
        let deadline = ContinuousClock.now + longest
        var wait = Wait(on: [output.fileDescriptor])
        var text = ""
        while true {
            wait(atMost: max(.zero, deadline - .now))
            let data = wait.isReadable(at: 0) ? output.availableData : Data()
            let isOver = wait.isReadable(at: 0) && data.isEmpty || ContinuousClock.now >= deadline
            guard !isOver else { throw Failure(what: "chromedriver does not start: \(text)") }
            text += String(decoding: data, as: UTF8.self)
            if let start = text.firstRange(of: "successfully on port "),
                let end = text[start.upperBound...].firstIndex(of: "."),
                let port = Int(text[start.upperBound..<end])
            {
                return port
            }
        }
    }

    package func quit() async throws {
        // It does not listen to a signal that asks.
        defer { self.driver.send(SIGKILL) }
        _ = try await self.send("DELETE", self.session, [:])
    }

    // MARK: Going and looking

    package func open(_ url: String) async throws { _ = try await self.command("/url", ["url": url]) }

    /// Returns the value of a JavaScript function body.
    package func evaluate(_ script: String) async throws -> Any {
        try await self.command("/execute/sync", ["script": script, "args": [] as [String]])
    }

    /// Milliseconds from the click to the first contentful paint of the page that is open.
    package func firstPaint(within longest: Duration = .seconds(10)) async throws -> Double {
        let deadline = ContinuousClock.now + longest
        while ContinuousClock.now < deadline {
            let time = try await self.evaluate(
                "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1"
            )
            if let time = (time as? NSNumber)?.doubleValue, time > 0 { return time }
        }
        throw Failure(what: "nothing was painted")
    }

    /// The complaints of the browser since the last call: errors of scripts, answers that are none, and requests that a
    /// page's policy has forbidden.
    package func complaints() async throws -> [String] {
        let entries = try await self.command("/se/log", ["type": "browser"]) as? [[String: Any]] ?? []
        return entries.filter { ["SEVERE", "WARNING"].contains($0["level"] as? String) }
            .map { $0["message"] as? String ?? "?" }
    }

    package func text(of selector: String) async throws -> String {
        try await self.evaluate("return document.querySelector(\(Self.quoted(selector)))?.innerText ?? ''")
            as? String ?? ""
    }

    /// Looks until the text is there, or the time is up.
    package func text(
        of selector: String,
        once isThere: (String) -> Bool,
        within longest: Duration = .seconds(30)
    ) async throws -> String {
        let deadline = ContinuousClock.now + longest
        while true {
            let text = try await self.text(of: selector)
            if isThere(text) || ContinuousClock.now > deadline { return text }
        }
    }

    // MARK: Doing

    /// Answers while the page before may still be shown: what comes next is waited for with ``text(of:once:within:)``.
    /// If a page that keeps itself up to date has put another element in the place of the one that was found, this one is
    /// clicked.
    package func click(_ selector: String) async throws {
        for _ in 0..<10 {
            do {
                let element = try await self.element(selector)
                _ = try await self.command("/element/\(element)/click", [:])
                return
            } catch let failure as Failure where failure.what.contains("stale element reference") {
                continue
            }
        }
        throw Failure(what: "\(selector) changes all the time")
    }

    package func type(_ text: String, into selector: String) async throws {
        let element = try await self.element(selector)
        _ = try await self.command("/element/\(element)/value", ["text": text])
    }

    /// Types into whatever has the focus.
    package func type(_ text: String) async throws {
        let actions = text.flatMap { key in
            [["type": "keyDown", "value": String(key)], ["type": "keyUp", "value": String(key)]]
        }
        _ = try await self.command(
            "/actions",
            ["actions": [["type": "key", "id": "keyboard", "actions": actions] as [String: Any]]]
        )
    }

    package func press(_ key: Key) async throws { try await self.type(key.rawValue) }

    /// Presses Tab until this has the focus.
    ///
    /// - Returns: how often; nil if it never has.
    package func tab(to selector: String, atMost limit: Int = 60) async throws -> Int? {
        for count in 1...limit {
            try await self.press(.tab)
            let matches = try await self.evaluate(
                "return document.activeElement.matches(\(Self.quoted(selector)))"
            )
            if matches as? Bool == true { return count }
        }
        return nil
    }

    /// Lets no script of a page run any more. `evaluate` still works.
    package func forbidScripts() async throws {
        try await self.develop("Emulation.setScriptExecutionDisabled", ["value": true])
    }

    // MARK: Appearance

    package func prefer(_ scheme: Scheme) async throws {
        let feature = ["name": "prefers-color-scheme", "value": scheme.rawValue]
        try await self.develop("Emulation.setEmulatedMedia", ["features": [feature]])
    }

    /// Moves the browser to a time zone, such as `Asia/Shanghai`.
    package func live(in zone: String) async throws {
        try await self.develop("Emulation.setTimezoneOverride", ["timezoneId": zone])
    }

    package func resize(width: Int, height: Int, isPhone: Bool) async throws {
        try await self.develop(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": isPhone ? 2 : 1, "mobile": isPhone]
        )
    }

    /// The whole page as PNG.
    package func screenshot() async throws -> Data {
        let answer = try await self.develop(
            "Page.captureScreenshot",
            ["format": "png", "captureBeyondViewport": true]
        )
        guard let value = answer as? [String: Any], let text = value["data"] as? String,
            let data = Data(base64Encoded: text)
        else { throw Failure(what: "no picture") }
        return data
    }

    // MARK: The protocol

    /// By the DevTools protocol, which chromedriver passes on.
    @discardableResult
    private func develop(_ method: String, _ parameters: [String: Any]) async throws -> Any {
        try await self.command("/goog/cdp/execute", ["cmd": method, "params": parameters])
    }

    private func element(_ selector: String) async throws -> String {
        let found = try await self.command("/element", ["using": "css selector", "value": selector])
        guard let found = found as? [String: String], let id = found.values.first else {
            throw Failure(what: "nothing is \(selector)")
        }
        return id
    }

    private func command(_ path: String, _ body: [String: Any]) async throws -> Any {
        try await self.send("POST", self.session + path, body)
    }

    private func send(_ method: String, _ path: String, _ body: [String: Any]) async throws -> Any {
        try await Self.send(method, path, body, over: self.http)
    }

    private static func send(
        _ method: String,
        _ path: String,
        _ body: [String: Any],
        over http: PlainHTTP
    ) async throws -> Any {
        let data = try JSONSerialization.data(withJSONObject: body)
        let answer = try await http.request(
            method,
            path,
            headers: ["Host": "localhost:\(http.port)", "Content-Type": "application/json"],
            body: method == "POST" ? String(decoding: data, as: UTF8.self) : ""
        )
        let parsed = try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any]
        guard answer.status == 200, let value = parsed?["value"] else {
            throw Failure(what: "\(method) \(path): \(answer.status) \(answer.body.prefix(600))")
        }
        return value
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
