import Operations
import Testing

/// A secret in a file has its new value as soon as the watch has read it.
struct WatchedSecretTests {
    private struct Refused: Error {}

    @Test func aNewValueIsSeenByAllWhoHoldTheSecret() throws {
        let secret = WatchedSecret(Secret("old"), path: "/run/secrets/token")
        let file = try #require(secret.file(of: ["setting": "token"]))
        #expect(file.path == "/run/secrets/token" && file.known == Secret("old"))
        try file.use(Secret("new"))
        #expect(secret.current == Secret("new"))
    }

    @Test func aValueThatCannotBeUsedChangesNothing() throws {
        let secret = WatchedSecret(Secret("a long token"), path: "token")
        let file = secret.file(of: [:]) { if $0.revealBytes().count < 5 { throw Refused() } }
        #expect(throws: Refused.self) { try file?.use(Secret("tok")) }
        #expect(secret.current == Secret("a long token"))
    }

    @Test func aSecretInTheSettingsThemselvesHasNoFile() {
        #expect(WatchedSecret(Secret("x")).file(of: [:]) == nil)
    }
}
