import Cryptography
import TestMaterial
import Testing

@testable import WireFormats

@Suite struct SignedDataTests {
    @Test func hasAllVectors() {
        #expect(JWSVector.all.count == 24)
    }

    @Test(arguments: JWSVector.all, [true, false])
    func saysWhatTheVectorSays(vector: JWSVector, cachesLeafKeys: Bool) throws {
        let verifier = try vector.verifier(cachesLeafKeys: cachesLeafKeys)
        #expect(vector.status(verifier) == vector.expect)
        // The second time, a leaf that was found good is known.
        #expect(vector.status(verifier) == vector.expect)
        #expect(verifier.cachedKeyCount == (cachesLeafKeys && vector.isSignedWell ? 1 : 0))
    }

    @Test(arguments: JWSVector.all.filter { $0.expect == "OK" })
    func readsTheTransaction(vector: JWSVector) throws {
        let transaction = try vector.verifier().transaction(
            Array(vector.jws.utf8),
            bundleID: nil,
            environment: nil,
            now: JWSVector.now
        )
        #expect(transaction.transactionID == vector.payload.transactionId)
        #expect(transaction.productID == vector.payload.productId)
        #expect(transaction.productType == StoreProductType(vector.payload.type))
        #expect(transaction.purchasedAt == vector.payload.purchaseDate)
        #expect(transaction.expiresAt == vector.payload.expiresDate)
        #expect(transaction.signedAt == Int64(vector.payload.signedDate))
        #expect(transaction.price == vector.payload.price)
        #expect(transaction.environment == .sandbox)
        #expect(transaction.bundleID == "com.example.app")
    }

    @Test func refusesAnotherApp() throws {
        let vector = try JWSVector.named("valid")
        let verifier = try vector.verifier()
        let fault = #expect(throws: SignedDataFault.self) {
            try verifier.transaction(
                Array(vector.jws.utf8),
                bundleID: "com.example.other",
                environment: .sandbox,
                now: JWSVector.now
            )
        }
        #expect(fault?.status == .invalidAppIdentifier)
        #expect(fault?.reason.code == "jws.bundle_id")
    }

    @Test func trustsNothingWithoutAnchors() throws {
        let vector = try JWSVector.named("valid")
        let verifier = SignedDataVerifier(anchors: TrustAnchors([]))
        let fault = #expect(throws: SignedDataFault.self) {
            try verifier.payload(Array(vector.jws.utf8), now: JWSVector.now)
        }
        #expect(fault?.reason.code == "jws.untrusted")
    }

    @Test func givesThePayloadAsItWasSigned() throws {
        let vector = try JWSVector.named("unknown_fields")
        let payload = try vector.verifier().payload(Array(vector.jws.utf8), now: JWSVector.now)
        let middle = vector.jws.split(separator: ".")[1]
        #expect(payload == Base64URL.decode(middle.utf8))
    }

    // MARK: The cache

    @Test func keepsALeafForAQuarterOfAnHour() throws {
        let vector = try JWSVector.named("valid")
        let key = try #require(try vector.anchors.certificates.first?.publicKey)
        let cache = LeafKeyCache()
        cache.keep(key, under: [1], validIn: 100..<200, now: 1_000_000)
        #expect(cache.key([1], validAt: 100, now: 1_000_000) === key)
        #expect(cache.key([1], validAt: 199, now: 1_899_999) === key)
        #expect(cache.key([1], validAt: 199, now: 1_900_000) == nil)
        #expect(cache.key([1], validAt: 199, now: 999_999) == nil)
        #expect(cache.key([1], validAt: 99, now: 1_000_000) == nil)
        #expect(cache.key([1], validAt: 200, now: 1_000_000) == nil)
        #expect(cache.key([2], validAt: 100, now: 1_000_000) == nil)
    }

    @Test func keepsNoMoreLeavesThanItsLimit() throws {
        let vector = try JWSVector.named("valid")
        let key = try #require(try vector.anchors.certificates.first?.publicKey)
        let cache = LeafKeyCache()
        for index in 0...LeafKeyCache.entriesLimit {
            cache.keep(key, under: [UInt8(index)], validIn: 0..<10, now: Int64(index))
        }
        #expect(cache.count == LeafKeyCache.entriesLimit)
        #expect(cache.key([0], validAt: 0, now: 100) == nil)
        #expect(cache.key([1], validAt: 0, now: 100) === key)
        #expect(cache.key([UInt8(LeafKeyCache.entriesLimit)], validAt: 0, now: 100) === key)
        cache.keep(key, under: [250], validIn: 0..<10, now: .max)
        #expect(cache.count == LeafKeyCache.entriesLimit)
        #expect(cache.key([250], validAt: 0, now: .max) == nil)
    }

    @Test func keepsALeafOnce() throws {
        let key = try #require(try JWSVector.named("valid").anchors.certificates.first?.publicKey)
        let cache = LeafKeyCache()
        cache.keep(key, under: [1, 2], validIn: 0..<10, now: 0)
        cache.keep(key, under: [1, 3], validIn: 0..<10, now: 0)
        cache.keep(key, under: [1, 2], validIn: 20..<30, now: 0)
        #expect(cache.count == 2)
        #expect(cache.key([1, 2], validAt: 0, now: 0) == nil)
        #expect(cache.key([1, 2], validAt: 20, now: 0) === key)
        #expect(cache.key([1, 3], validAt: 0, now: 0) === key)
        #expect(cache.key([1], validAt: 0, now: 0) == nil)
        #expect(cache.key([1, 3, 0], validAt: 0, now: 0) == nil)
    }

    @Test func keepsNothingUnderManyBytes() throws {
        let key = try #require(try JWSVector.named("valid").anchors.certificates.first?.publicKey)
        let cache = LeafKeyCache()
        let longest = [UInt8](repeating: 7, count: LeafKeyCache.originBytesLimit)
        cache.keep(key, under: longest + [7], validIn: 0..<10, now: 0)
        #expect(cache.count == 0)
        cache.keep(key, under: longest[...], validIn: 0..<10, now: 0)
        #expect(cache.key(longest[...], validAt: 0, now: 0) === key)
    }

    @Test func knowsALeafOnlyForTheTimeThatItsChainIsValid() throws {
        let vector = try JWSVector.named("valid")
        let verifier = try vector.verifier()
        #expect(vector.status(verifier) == "OK")
        // The header is unchanged, but the payload says that it was signed before the leaf was made.
        let parts = vector.jws.split(separator: ".")
        let early = Self.base64URL(Array(#"{"signedDate":1}"#.utf8))
        let fault = #expect(throws: SignedDataFault.self) {
            try verifier.payload(Array("\(parts[0]).\(early).\(parts[2])".utf8), now: JWSVector.now)
        }
        #expect(fault?.reason.code == "jws.outside_validity")
    }

    // MARK: Hostile

    @Test(arguments: [
        ("", "jws.malformed"),
        ("..", "jws.malformed"),
        ("a.b.c.d", "jws.malformed"),
        ("<html><body>502 Bad Gateway</body></html>", "jws.malformed"),
        ("<a.b.c>", "jws.malformed"),
        ("e30.e30.", "jws.algorithm"),
        ("e30=.e30=.AA==", "jws.malformed"),
        ("bnVsbA.e30.AA", "jws.malformed"),
        ("e30.bnVsbA.AA", "jws.malformed"),
    ])
    func namesWhatIsNoSignedData(text: String, code: String) throws {
        let verifier = try JWSVector.named("valid").verifier()
        let fault = #expect(throws: SignedDataFault.self) {
            try verifier.payload(Array(text.utf8), now: JWSVector.now)
        }
        #expect(fault?.status == .verificationFailure)
        #expect(fault?.reason.code == code)
    }

    @Test(arguments: [
        (#"{"alg":"none","x5c":X5C}"#, "jws.algorithm"),
        (#"{"alg":"es256","x5c":X5C}"#, "jws.algorithm"),
        (#"{"alg":["ES256"],"x5c":X5C}"#, "jws.algorithm"),
        (#"{"alg":"ES256"}"#, "jws.no_certificates"),
        (#"{"alg":"ES256","x5c":"text"}"#, "jws.no_certificates"),
        (#"{"alg":"ES256","x5c":[1,2,3]}"#, "jws.no_certificates"),
        (#"{"alg":"ES256","x5c":["","",""]}"#, "jws.certificate"),
        (#"{"alg":"ES256","crit":["b64"],"b64":false,"x5c":X5C}"#, "jws.critical"),
        (#"{"alg":"ES256","jwk":{},"x5c":X5C}"#, "jws.signature"),
    ])
    func namesWhatIsWrongWithTheHeader(header: String, code: String) throws {
        let vector = try JWSVector.named("valid")
        let parts = vector.jws.split(separator: ".")
        let original = try #require(Base64URL.decode(parts[0].utf8).flatMap { JSONObject($0) })
        let x5c = String(decoding: try #require(original.value("x5c")), as: UTF8.self)
        let forged = Self.base64URL(Array(header.replacing("X5C", with: x5c).utf8))
        let fault = #expect(throws: SignedDataFault.self) {
            try vector.verifier().payload(Array("\(forged).\(parts[1]).\(parts[2])".utf8), now: JWSVector.now)
        }
        #expect(fault?.reason.code == code)
    }

    @Test func refusesFiftyMegabytesUnread() throws {
        let verifier = try JWSVector.named("valid").verifier()
        let text = [UInt8](repeating: UInt8(ascii: "."), count: 50 << 20)
        let fault = #expect(throws: SignedDataFault.self) { try verifier.payload(text, now: JWSVector.now) }
        #expect(fault?.reason.code == "jws.too_large")
    }

    /// Every character changed in turn, to another of the alphabet or to one outside it.
    @Test func refusesDamageAnywhere() throws {
        let vector = try JWSVector.named("valid")
        let verifier = try vector.verifier()
        let text = Array(vector.jws.utf8)
        for index in text.indices {
            var damaged = text
            damaged[index] =
                index % 4 == 0 ? UInt8(ascii: "/") : text[index] == UInt8(ascii: "A") ? 0x42 : 0x41
            #expect(vector.status(verifier, damaged) != "OK", "byte \(index)")
        }
        for length in stride(from: 0, to: text.count, by: 17) {
            #expect(vector.status(verifier, Array(text.prefix(length))) != "OK", "length \(length)")
        }
    }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        String(decoding: Base64.encode(bytes), as: UTF8.self)
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}

extension JWSVector {
    /// Whether the signature is good, whatever it signs.
    fileprivate var isSignedWell: Bool { ["OK", "INVALID_ENVIRONMENT"].contains(self.expect) }
}
