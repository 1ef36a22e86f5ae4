import Testing

@testable import Cryptography

@Suite struct CertificateTests {
    static let receiptSigning = "1.2.840.113635.100.6.11.1"

    @Test func readsAFileInEitherForm() throws {
        let root = try Samples.certificate(Samples.root)
        #expect(Certificate.all(in: root.der)?.map(\.der) == [root.der])
        let bundle = "Roots of ours\n" + Samples.root + "\n\n" + Samples.leaf + "\n"
        #expect(Certificate.all(in: Array(bundle.utf8))?.count == 2)
    }

    @Test(arguments: [
        "", "text", Samples.publicKey, Samples.root.replacing("END", with: "ENDE"),
        Samples.leaf + "\n" + Samples.root.replacing("MII", with: "MIM"),
    ])
    func refusesAFileWithoutCertificatesOrWithABrokenOne(text: String) {
        #expect(Certificate.all(in: Array(text.utf8)) == nil)
    }

    @Test func refusesEverythingButOneCertificate() throws {
        let der = try Samples.certificate(Samples.leaf).der
        #expect(Certificate(der: der + [0]) == nil)
        for length in 0..<der.count {
            #expect(Certificate(der: Array(der.prefix(length))) == nil, "\(length) bytes")
        }
        #expect(
            Certificate(der: [0x30, 0x83, 0xFF, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 1 << 24)) == nil
        )
    }

    @Test func refusesOtherEncodingsOfTheSameContent() throws {
        let der = try Samples.certificate(Samples.root).der
        #expect(der.starts(with: [0x30, 0x82]))
        #expect(Certificate(der: [0x30, 0x83, 0x00] + der[2...]) == nil, "a length with a leading zero")
        #expect(Certificate(der: [0x30, 0x80] + der[4...] + [0, 0]) == nil, "a length that is not told")
    }

    @Test func findsExtensions() throws {
        #expect(try Samples.certificate(Samples.leaf).hasExtension(Self.receiptSigning))
        #expect(try !Samples.certificate(Samples.intermediate).hasExtension(Self.receiptSigning))
    }

    @Test func knowsWhenItIsValid() throws {
        // 2022-01-01 to 2035-01-01.
        #expect(try Samples.certificate(Samples.leaf).validity == 1_640_995_200..<2_051_222_400)
    }

    // MARK: Chains

    @Test func leadsToAConfiguredAnchor() throws {
        let anchors = TrustAnchors([try Samples.certificate(Samples.root)])
        let chain = try Self.chain(anchors, at: Samples.time)
        let expected = [Samples.leaf, Samples.intermediate, Samples.root]
        #expect(chain.certificates.map(\.der) == (try expected.map { try Samples.certificate($0).der }))
        #expect(chain.validity == 1_640_995_200..<2_051_222_400)
    }

    @Test func leadsNowhereElse() throws {
        let none = TrustAnchors([])
        let stranger = TrustAnchors([try Samples.certificate(Samples.leaf)])
        #expect(throws: CertificateChain.Fault.untrusted) { try Self.chain(none, at: Samples.time) }
        #expect(throws: CertificateChain.Fault.untrusted) {
            try stranger.chain(
                from: try Samples.certificate(Samples.root),
                through: [],
                at: Samples.time,
                .current
            )
        }
        // The root among the certificates that came along is no anchor.
        #expect(throws: CertificateChain.Fault.untrusted) {
            try none.chain(
                from: try Samples.certificate(Samples.leaf),
                through: [
                    try Samples.certificate(Samples.intermediate), try Samples.certificate(Samples.root),
                ],
                at: Samples.time,
                .any
            )
        }
    }

    @Test func needsTheCertificatesBetween() throws {
        let anchors = TrustAnchors([try Samples.certificate(Samples.root)])
        #expect(throws: CertificateChain.Fault.untrusted) {
            try anchors.chain(
                from: try Samples.certificate(Samples.leaf),
                through: [],
                at: Samples.time,
                .current
            )
        }
    }

    @Test(arguments: [
        (1_640_995_199, false), (1_640_995_200, true), (2_051_222_399, true), (2_051_222_400, false),
        (0, false),
        (Int64.max, false), (.min, false), (-1, false),
    ])
    func isValidFromTheFirstSecondToTheLast(time: Int64, isValid: Bool) throws {
        let anchors = TrustAnchors([try Samples.certificate(Samples.root)])
        if isValid {
            #expect(throws: Never.self) { try Self.chain(anchors, at: time) }
        } else {
            #expect(throws: CertificateChain.Fault.outsideValidity) { try Self.chain(anchors, at: time) }
        }
        #expect(throws: Never.self) { try Self.chain(anchors, at: nil) }
    }

    @Test func anchorsAtWhateverIsConfigured() throws {
        let anchors = TrustAnchors([try Samples.certificate(Samples.intermediate)])
        #expect(try Self.chain(anchors, at: Samples.time).certificates.count == 2)
    }

    @Test func worksFromManyTasksAtOnce() async throws {
        let anchors = TrustAnchors([try Samples.certificate(Samples.root)])
        try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<16 {
                group.addTask {
                    let time = index.isMultiple(of: 2) ? Samples.time : 0
                    return (0..<5).count(where: { _ in (try? Self.chain(anchors, at: time)) != nil })
                }
            }
            var count = 0
            for try await found in group { count += found }
            #expect(count == 8 * 5)
        }
    }

    static func chain(_ anchors: TrustAnchors, at time: Int64?) throws -> CertificateChain {
        try anchors.chain(
            from: try Samples.certificate(Samples.leaf),
            through: [try Samples.certificate(Samples.intermediate)],
            at: time,
            .current
        )
    }
}
