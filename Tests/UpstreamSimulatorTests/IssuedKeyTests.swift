import Testing
import UpstreamSimulator

/// Keys as Apple issues them.
struct IssuedKeyTests {
    @Test func isAPairOfPEMsAndAnotherEveryTime() throws {
        let (one, other) = (try #require(IssuedKey()), try #require(IssuedKey()))
        #expect(one.privatePEM.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(one.privatePEM.hasSuffix("-----END PRIVATE KEY-----\n"))
        #expect(ES256Verifier(publicKeyPEM: one.publicPEM) != nil)
        #expect(one.privatePEM != other.privatePEM && one.publicPEM != other.publicPEM)
        #expect(!"\(one)".contains("BEGIN"))
    }
}
