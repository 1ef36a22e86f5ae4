/// A decoder that sees bytes from outside, and what must hold of whatever it makes of them.
///
/// `Deploy/fuzz` has libFuzzer run it over inputs of its own making, the tests over the kept corpus.
struct FuzzTarget: Sendable {
    /// As the command line, the table of figures and the folder in `Corpus` have it.
    let name: String
    /// In bytes. Longer inputs are not made: they would be slower, and show what shorter ones show.
    let longestInput: Int
    /// Pieces of inputs that chance would take long to find.
    let words: [String]
    /// The vectors of the decoder's tests, which are too much to be kept in `Corpus` once more.
    let seeds: @Sendable () -> [[UInt8]]
    private let check: @Sendable (_ input: [UInt8]) throws -> Void

    init(
        _ name: String,
        longestInput: Int = 512,
        words: [String] = [],
        seeds: @escaping @Sendable () -> [[UInt8]] = { [] },
        _ check: @escaping @Sendable (_ input: [UInt8]) throws -> Void
    ) {
        self.name = name
        self.longestInput = longestInput
        self.words = words
        self.seeds = seeds
        self.check = check
    }

    /// Has the decoder work on an input, and looks at what comes of it.
    ///
    /// - Throws: `Objection` where something does not hold, or an error of the decoder that it should not have
    ///   thrown. A trap ends the process.
    func run(_ input: [UInt8]) throws { try self.check(input) }

    static let all: [FuzzTarget] = [
        recordTargets, textTargets, upstreamTargets, diskTargets, operatorTargets, fleetTargets,
        simulatorTargets, brokerTargets, apple, storeTargets, pushTargets, uploadTargets,
        marketingTargets, clickTargets, gatewayTargets,
    ].flatMap { $0 }

    /// Input that a topic brings, and the steps of a broker.
    private static let recordTargets = [
        activationJSON, activationProtobuf, record, jsonObject, traceContext, deadLetter, deadLetterFacts,
        deadLetterPayload, retryTicket, progressMetadata, partitionList,
    ]

    private static let textTargets = [rfc3339, base64, ipAddress, deviceID]

    /// Input that an upstream answers with.
    private static let upstreamTargets = [gdtAnswer, gdtWords, retryAfter, httpDate, httpAnswer]

    /// Answers of Tencent's living interfaces, and what a click or an operator brings for them.
    private static let marketingTargets = [
        marketingReply, marketingAnswer, callbackURL, publicAddress, tokenPair,
    ]

    /// Input that an earlier life of a worker has left on the disk.
    private static let diskTargets = [crashLedger, crashMark]

    /// Input that an operator writes, and text that is written for one.
    private static let operatorTargets = [
        settingsFile, settingText, baseURL, interpretCase, logLine,
    ]

    private static let fleetTargets = [
        publishLine, recordLine, inputLines, demoRegister, metricsPage, chaosAudit,
    ]

    private static let simulatorTargets = [simulatorRequest, simulatorFaults, clickScript]

    /// Input that a client sends to the broker of the tests.
    private static let brokerTargets = [brokerConnection, brokerRequests, recordBatch]

    /// Receipts and answers of Apple's in PKCS#7, JWS, property lists and JSON: the group `apple`.
    static let apple = [
        oldPropertyList, verifiedAppReceipt, signedData, transactionReceipt, verifyReceiptAnswer,
        appStoreAnswer, deviceCheckAnswer, appReceipt, asn1Reader,
    ]

    /// Input beside them: a JWS in its parts, the wrappings of clients around receipts, records, keys and certificates.
    private static let storeTargets = [
        signedDataParts, receiptInput, receiptRecord, deviceCheckRecord, storeRetryAfter, privateKey,
        certificate,
    ]

    private static let pushTargets = [pushEvent, pushPayload]

    /// Input that the SDKs on phones upload.
    private static let uploadTargets = [sdkUpload, uploadRequest, lz4Block, snappyBlock]

    /// Input of the click feed, and what a home partition's changelog holds of it.
    private static let clickTargets = [adClick, remembered, waitingActivation]

    /// Requests of the gateway.
    private static let gatewayTargets = [gatewayRequest, forwardedFor]
}
