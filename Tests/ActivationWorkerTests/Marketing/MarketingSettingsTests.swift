import Foundation
import Operations
import Testing
import WireFormats
import WorkerKit
import WorkerTestSupport

@testable import ActivationWorker

/// The settings of the two routes, and what is wrong with them.
@Suite struct MarketingSettingsTests {
    private static func settings(_ app: [String], _ shared: [String] = []) -> String {
        let lines =
            ["kafka:", "  brokers: localhost:9092", "gdt:", "  apps:", "    - app_id: 112233"]
            + ["      advertiser_id: 10000"] + app.map { "      \($0)" }
            + (shared.isEmpty ? [] : ["marketing_api:"] + shared.map { "  \($0)" })
        return lines.joined(separator: "\n") + "\n"
    }

    private static func loaded(_ text: String, in folder: TemporaryFolder) throws
        -> LoadedProgram<ActivationProgram>
    {
        try LoadedProgram<ActivationProgram>(path: try folder.write(text, to: "settings.yaml").path)
    }

    private static func fault(_ text: String, in folder: TemporaryFolder) -> String {
        do {
            _ = try Self.loaded(text, in: folder)
            return ""
        } catch {
            return "\(error)"
        }
    }

    private static let marketing = ["route: marketing_api", "user_action_set_id: 77"]

    @Test func anAppChoosesItsRoute() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("tok\n", to: "token")
        let text = Self.settings(Self.marketing + ["access_token_file: token"])
        let handler = try Self.loaded(text, in: folder).handler
        #expect(handler.endpoints.count == 2)
        #expect(handler.watchedFiles.map(\.known) == [Secret("tok")])
        let gdt = Self.settings(["sign_key: s", "encrypt_key: e"])
        #expect(try Self.loaded(gdt, in: folder).handler.endpoints.count == 1)
        // A token that another program writes there is checked as at the start, and quoted nowhere.
        let token = try #require(handler.marketing.tokens.values.first)
        let file = try #require(handler.watchedFiles.first)
        for text in ["to\u{1}k3n", "to k3n", String(repeating: "k3n", count: 2_000)] {
            let error = #expect(throws: AccessToken.Fault.self) { try file.use(Secret(text)) }
            #expect(error?.description.contains("k3n") == false)
        }
        #expect(token.bytes == Array("tok".utf8))
        try file.use(Secret("new"))
        #expect(token.bytes == Array("new".utf8))
        let callbacks = Self.settings(["sign_key: s", "encrypt_key: e", "callbacks: true"])
        #expect(try Self.loaded(callbacks, in: folder).handler.endpoints.count == 4)
    }

    @Test(arguments: [
        (["route: marketing_api", "access_token: t"], [], "user_action_set_id: is required with route"),
        (marketing, [], "access_token: is required with route: marketing_api"),
        (marketing + ["access_token: 'a b'"], [], "access_token: holds white space"),
        (["route: other", "sign_key: s", "encrypt_key: e"], [], "route: must be one of gdt, marketing_api"),
        (["sign_key: s"], [], "encrypt_key: is required"),
        (marketing + ["access_token: t"], ["url: http://api.e.qq.com/v3.0"], "url: must be https"),
        (marketing + ["access_token: t"], ["requests: 0"], "requests: must be a whole number"),
        (marketing + ["access_token: t", "oauth_file: none"], [], "cannot be given together"),
        (marketing + ["oauth_file: none"], [], "oauth_file: names a file that cannot be read: no such file"),
    ])
    func everyFaultIsOneLine(app: [String], shared: [String], fault: String) throws {
        let found = Self.fault(Self.settings(app, shared), in: try TemporaryFolder())
        #expect(found.contains(fault), "\(found)")
        #expect(found.split(separator: "\n").count <= 2)
    }

    @Test(arguments: [
        ("'https://api.e.qq.com'", "must be hosts like"), ("[api.e.qq.com, '*.qq.com']", "not \"*.qq.com\""),
        ("'api.e.qq.com:8080'", "must be hosts like"), ("api.e.qq.com.", "must be hosts like"),
        ("'api e'", "must be hosts like"), ("[]", "names no host"), ("[API.e.qq.com, 127.0.0.1]", ""),
    ])
    func aHostThatNoCallbackCanNameIsAFault(hosts: String, fault: String) throws {
        let app = Self.marketing + ["access_token: t", "callbacks: true"]
        let found = Self.fault(
            Self.settings(app, ["callback_hosts: \(hosts)"]),
            in: try TemporaryFolder()
        )
        #expect(fault.isEmpty ? found.isEmpty : found.contains("callback_hosts") && found.contains(fault))
    }

    @Test(arguments: [
        (0o644, true, "can be used by others than its owner: chmod 600 "),
        (0o400, true, "is not writable, so renewed tokens cannot be kept: chmod 600 "),
        (0o400, false, ""), (0o600, true, ""),
        // Kubernetes mounts a secret so, for a worker that only reads the tokens.
        (0o440, false, ""), (0o440, true, "can be used by others than its owner: chmod 600 "),
        (0o444, false, "can be used by others than its owner: chmod 640 "),
        (0o460, false, "can be used by others than its owner: chmod 640 "),
    ])
    func aFileOfTokensIsCheckedAtTheStart(mode: Int, isRenewedHere: Bool, fault: String) throws {
        let folder = try TemporaryFolder()
        let pair = TokenPair(clientID: "c", clientSecret: "s3cret", refreshToken: "r3fresh", accessToken: "a")
        let file = try folder.write(pair.json, to: "tokens.json")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        let text = Self.settings(
            Self.marketing + ["oauth_file: tokens.json", "oauth_renew: \(isRenewedHere)"]
        )
        let found = Self.fault(text, in: folder)
        #expect(fault.isEmpty ? found.isEmpty : found.contains(fault))
        #expect(found.split(separator: "\n").count <= 1)
        #expect(!found.contains("s3cret") && !found.contains("r3fresh"))
    }
}
