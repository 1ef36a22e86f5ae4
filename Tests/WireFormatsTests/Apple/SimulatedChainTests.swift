import Cryptography
import TestMaterial
import Testing

@testable import UpstreamSimulator
@testable import WireFormats

/// The signatures of the simulated store are believed by the code that believes Apple's: two pieces of code that share
/// nothing.
@Suite struct SimulatedChainTests {
    private struct Payload: Encodable {
        var transactionId = "1000001"
        var bundleId = "com.example.app"
        var environment = "Sandbox"
        var signedDate: Int64 = 1_700_000_000_000
    }

    private static func certificate(_ pem: String) throws -> Certificate {
        let text = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        let der = try #require(Base64.decode(Array(text.utf8)))
        return try #require(Certificate(der: der))
    }

    @Test func isBelievedByThoseWhoTrustItsRoot() throws {
        let writer = try #require(
            SignedDataWriter(
                keyPEM: SimulatedChain.leafKeyPEM,
                certificates: SimulatedChain.certificates
            )
        )
        let text = Array(try #require(writer.signed(Payload())).utf8)
        let root = try Self.certificate(SimulatedChain.rootPEM)
        let transaction = try SignedDataVerifier(anchors: TrustAnchors([root])).transaction(
            text,
            bundleID: "com.example.app",
            environment: .sandbox,
            now: 1_700_000_000_000
        )
        #expect(transaction.transactionID == "1000001")
        let fault = #expect(throws: SignedDataFault.self) {
            try SignedDataVerifier(anchors: try JWSVector.named("valid").anchors).payload(
                text,
                now: 1_700_000_000_000
            )
        }
        #expect(fault?.reason.code == "jws.untrusted")
    }
}
