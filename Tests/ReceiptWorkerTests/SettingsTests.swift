import Cryptography
import Foundation
import Logging
import Operations
import ServiceLifecycle
import TestMaterial
import Testing
import UpstreamHTTP
import WireFormats
import WorkerKit
import WorkerTestSupport

@testable import ReceiptWorker

/// The settings that the program reads reach the engine, the client and the handler.
@Suite struct SettingsTests {
    private static func load(_ settings: SettingsText, _ folder: TemporaryFolder) throws -> LoadedProgram<
        ReceiptProgram
    > {
        try Self.root(try JWSVector.root, "root.der", folder)
        let file = try folder.write(Array(settings.text.utf8), to: "settings.yaml")
        return try LoadedProgram<ReceiptProgram>(path: file.path)
    }

    @discardableResult
    private static func root(_ base64: String, _ name: String, _ folder: TemporaryFolder) throws -> URL {
        try folder.write(try #require(Base64.decode(Array(base64.utf8))), to: name)
    }

    @Test func speaksHTTP2AndReadsLongAnswers() throws {
        let program = try Self.load(SettingsText(), try TemporaryFolder())
        #expect(program.settings.http.httpVersion == .http2)
        #expect(program.settings.http.keptHeaders.contains("content-type"))
        #expect(program.settings.http.responseBytesLimit == 16 << 20)
        #expect(program.settings.engine.inputTopic == "receipt")
        let settings = program.handler.settings
        #expect(settings.limitedAttempts == 4 && settings.lagAttempts == 7)
        #expect(settings.secretDoubts == 3 && settings.signedDataAge == nil)
        #expect(settings.tokenLifetime == .seconds(300) && settings.tokenBackdating == .seconds(30))
        // A time that Apple names is not cut short.
        #expect(program.settings.engine.longestGate == .seconds(24 * 3_600))
        let app = try #require(settings.apps.first)
        #expect(app.bundleID == Case.app && app.route == .verifyReceipt && app.key == nil)
        #expect(app.sharedSecret?.reveal() == "s3cret" && app.files.isEmpty)
        #expect(app.policy == StorePolicy(outsideProduction: .flag, products: nil))
        #expect(settings.verifyReceiptHosts[.production]?.text == "https://buy.itunes.apple.com")
    }

    @Test func readsAnAppOfTheServerAPI() throws {
        let app =
            SettingsText.key + [
                "outside_production: reject", "products: [pro, coins]", "history_pages: 3",
                "subscriptions: false",
            ]
        let settings = SettingsText(
            route: "app_store_server_api",
            app: app,
            apple: ["signed_data_roots: root.der"]
        )
        let program = try Self.load(settings, try TemporaryFolder())
        let read = try #require(program.handler.settings.apps.first)
        #expect(read.route == .serverAPI && read.key?.keyID == "DCTESTKEY1")
        #expect(read.policy == StorePolicy(outsideProduction: .reject, products: ["pro", "coins"]))
        #expect(read.historyPages == 3 && !read.asksForSubscriptions)
        #expect(program.handler.settings.anchors.signedData?.certificates.count == 1)
        #expect(program.handler.settings.anchors.appReceipts == nil)
    }

    @Test(arguments: [
        (SettingsText(bundles: []), "receipt.apps: must be a list of at least 1"),
        (SettingsText(bundles: ["a.b", "a.b"]), "a.b is listed twice"),
        (SettingsText(bundles: ["a/b"]), "bundle_id: must be 1 to 155 letters"),
        (SettingsText(route: "apple"), "route: must be one of"),
        (SettingsText(route: "local"), "route: needs apple.app_receipt_roots"),
        (SettingsText(route: "app_store_server_api"), "route: needs issuer_id, key_id and key"),
        (
            SettingsText(route: "app_store_server_api", app: SettingsText.key),
            "route: needs apple.signed_data_roots"
        ),
        (
            SettingsText(app: ["issuer_id: x", "key_id: DCTESTKEY1", "key: nonsense"]),
            "is no key for the App Store Server API: it is not one PEM block"
        ),
        (SettingsText(app: ["issuer_id: x", "key_id: K", "key: nonsense"]), "key_id: must be 10 letters"),
        (SettingsText(app: ["shared_secret_file: none"]), "names a file that cannot be read: no such file"),
        (SettingsText(apple: ["app_receipt_roots: none"]), "names a file that cannot be read: no such file"),
        (SettingsText(apple: ["app_receipt_roots: settings.yaml"]), "is no certificate in DER or PEM"),
        (SettingsText(receipt: ["limited_attempts: 11"]), "must not be above worker.attempts"),
        (SettingsText(receipt: ["app_store_sandbox_url: http://api.example"]), "must be https"),
        (SettingsText(receipt: ["verifyreceipt_production_url: http://127.0.0.1.evil"]), "must be https"),
    ])
    func saysWhatIsWrong(settings: SettingsText, fault: String) throws {
        let folder = try TemporaryFolder()
        do {
            _ = try Self.load(settings, folder)
            Issue.record("no fault")
        } catch {
            #expect("\(error)".contains(fault), "\(error)")
            #expect(!"\(error)".contains("nonsense") && !"\(error)".contains("s3cret"))
        }
    }

    @Test func theTableOfSettingsIsTheProgramsOwn() throws {
        let table = try Documents.section("settings: receipt-worker").split(separator: "\n")
        let lines = SettingsTable<ReceiptProgram>.markdown.split(separator: "\n")
        let own = lines.filter { $0.hasPrefix("| `receipt.") || $0.hasPrefix("| `apple.") }
        #expect(table == lines.prefix(2) + own)
    }

    // MARK: certificates

    @Test func readsCertificatesInPEM() throws {
        let der = try #require(Base64.decode(Array(try JWSVector.root.utf8)))
        let block =
            "-----BEGIN CERTIFICATE-----\n\(try JWSVector.root)\n-----END CERTIFICATE-----\n"
        #expect(Certificate.all(in: der)?.count == 1)
        #expect(Certificate.all(in: Array("Apple\n\(block)".utf8))?.count == 1)
        #expect(Certificate.all(in: Array("\(block)\(block)".utf8))?.count == 2)
        for text in ["", "x", String(block.dropLast(30)), "\(block)-----BEGIN CERTIFICATE-----\nAA==\n"] {
            #expect(Certificate.all(in: Array(text.utf8)) == nil, "\(text)")
        }
        #expect(Certificate.all(in: Array(der.dropLast())) == nil)
    }

    // MARK: what is masked

    @Test func masksWhatIsSecretOrPersonal() throws {
        let testCase = try Case { $0.apps[0].sharedSecret = Secret(#"a"b\"#) }
        let request = ReceiptProgram.masked(try testCase.call(try Case.appReceipt()).request)
        let expected: NSDictionary = ["receipt-data": "masked", "password": "masked"]
        #expect(Case.body(of: request) == expected)
        let api = try Case(.serverAPI).call(Case.record(["transactionId": "1"])).request
        #expect(ReceiptProgram.masked(api).headers.contains(HTTPHeader("Authorization", "Bearer masked")))
        #expect(!"\(ReceiptProgram.masked(api))".contains("eyJ"))
    }

    // MARK: secrets that change

    @Test func aChangedSecretFileIsPickedUp() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Array("first\n".utf8), to: "secret")
        let program = try Self.load(SettingsText(app: ["shared_secret_file: secret"]), folder)
        let apps = program.handler.settings.apps
        #expect(apps.first?.files.map(\.path) == [file.path])
        let (messages, log) = AsyncStream.makeStream(of: String.self)
        let logger = Logger(label: "test") { _ in StreamedLog(log) }
        let watch = SecretFileWatch(program.handler.watchedFiles, logger, interval: .milliseconds(5))
        let running = Task { try await watch.run() }
        var told = messages.makeAsyncIterator()
        try FileManager.default.removeItem(at: file)
        #expect(await told.next() == "secret file cannot be used; the secret before it stays no such file")
        #expect(program.handler.keys.sharedSecret(of: Case.app).secret?.reveal() == "first")
        try Data("second\n".utf8).write(to: file, options: .atomic)
        #expect(await told.next() == "secret file changed ")
        #expect(program.handler.keys.sharedSecret(of: Case.app).secret?.reveal() == "second")
        running.cancel()
        try await running.value
    }

    @Test func aChangedKeyFileIsPickedUp() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Array(Case.key.utf8), to: "key.p8")
        let idFile = try folder.write(Array("DCTESTKEY1\n".utf8), to: "id")
        let settings = SettingsText(
            route: "app_store_server_api",
            app: [
                "issuer_id: 57246542-96fe-1a63-e053-0824d011072a", "key_id_file: id", "key_file: key.p8",
            ],
            apple: ["signed_data_roots: root.der"]
        )
        let program = try Self.load(settings, folder)
        let before = try #require(program.handler.keys.key(of: Case.app)).signer
        let (messages, log) = AsyncStream.makeStream(of: String.self)
        let logger = Logger(label: "test") { _ in StreamedLog(log) }
        let watch = SecretFileWatch(program.handler.watchedFiles, logger, interval: .milliseconds(5))
        let running = Task { try await watch.run() }
        var told = messages.makeAsyncIterator()
        try Data("nonsense".utf8).write(to: file, options: .atomic)
        #expect(
            await told.next()
                == "secret file cannot be used; the secret before it stays it is not one PEM block"
        )
        #expect(program.handler.keys.key(of: Case.app)?.signer === before)
        try Data("\(Case.otherKey)\n".utf8).write(to: file, options: .atomic)
        #expect(await told.next() == "secret file changed ")
        #expect(program.handler.keys.key(of: Case.app)?.signer !== before)
        // A new key has a new id.
        try Data("short".utf8).write(to: idFile, options: .atomic)
        #expect(
            await told.next()
                == "secret file cannot be used; the secret before it stays it is not 10 letters and digits"
        )
        #expect(program.handler.keys.key(of: Case.app)?.keyID == "DCTESTKEY1")
        try Data("DCTESTKEY2\n".utf8).write(to: idFile, options: .atomic)
        #expect(await told.next() == "secret file changed ")
        #expect(program.handler.keys.key(of: Case.app)?.keyID == "DCTESTKEY2")
        running.cancel()
        try await running.value
    }
}
