import Configuration
import Foundation
import Logging
import Operations
import Testing
import UpstreamHTTP
import WireFormats
import WorkerKit
import WorkerTestSupport

@testable import ActivationWorker

/// The settings that the program reads reach the engine.
struct SettingsTests {
    @Test func theLongestGateIsASetting() throws {
        func gate(_ text: String) throws -> Duration {
            let file = try SettingsFile(text: text, path: "worker.yaml")
            let reader = SettingsReader(file: file, overrides: [])
            return WorkerSettings(reader, ActivationProgram.identity).engine.longestGate
        }
        #expect(try gate("retry: {}") == .seconds(300))
        #expect(try gate("retry:\n  longest_gate: 20s") == .seconds(20))
    }

    /// A lane that is held for a wrong key is free at its next probe: no restart, and its records stay in hand.
    @Test func aCorrectedKeyFileIsPickedUp() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Array("wrong_sign_key\n".utf8), to: "sign")
        let text = SettingsText().text.replacing("sign_key: 'test_sign_key'", with: "sign_key_file: sign")
        let settings = try folder.write(Array(text.utf8), to: "settings.yaml")
        let handler = try LoadedProgram<ActivationProgram>(path: settings.path).handler
        let (messages, log) = AsyncStream.makeStream(of: String.self)
        let watch = SecretFileWatch(
            handler.watchedFiles,
            Logger(label: "test") { _ in StreamedLog(log) },
            interval: .milliseconds(5)
        )
        func url() -> String? {
            let attempt = Attempt(number: 2, now: ActivationHandlerTests.now)
            guard case .call(let call) = handler.plan(ActivationHandlerTests.record(), attempt) else {
                return nil
            }
            return call.request.url
        }
        let account = GDTAccount(appID: 112_233, advertiserID: 10_000)
        let corrected = ConversionReport(
            for: account,
            keys: try GDTKeys(signKey: "test_sign_key", encryptKey: "test_encrypt_key")
        ).url(of: try Activation(decoding: ActivationHandlerTests.record()))
        let running = Task { try await watch.run() }
        var told = messages.makeAsyncIterator()
        let wrong = url()
        #expect(wrong != nil && wrong != corrected)
        // A file that holds no key changes nothing. The log says so once, and does not quote the file.
        try Data("two words\n".utf8).write(to: file)
        let refusal = "it holds white space or characters that are not ASCII"
        #expect(
            await told.next() == "secret file cannot be used; the secret before it stays \(refusal)"
        )
        #expect(url() == wrong)
        try Data("test_sign_key\n".utf8).write(to: file, options: .atomic)
        #expect(await told.next() == "secret file changed ")
        #expect(url() == corrected)
        running.cancel()
        try await running.value
    }

    @Test func watchesBothFilesOfEveryAccount() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write(Array("a".utf8), to: "sign")
        _ = try folder.write(Array("b".utf8), to: "encrypt")
        let text = SettingsText().text.replacing("sign_key: 'test_sign_key'", with: "sign_key_file: sign")
            .replacing("encrypt_key: 'test_encrypt_key'", with: "encrypt_key_file: encrypt")
        let settings = try folder.write(Array(text.utf8), to: "settings.yaml")
        let files = try LoadedProgram<ActivationProgram>(path: settings.path).handler.watchedFiles
        #expect(files.map { $0.owner["key"] } == ["sign_key", "encrypt_key"])
        #expect(files.allSatisfy { $0.owner["account"] == "112233/10000" })
    }
}
