import Records
import Testing
import UpstreamSimulator

/// Answers that say nothing about a record: whole topics have gone to the dead letters for less.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct HoldTests {
    static let quickHolds =
        EndToEndTests.quickRetries + """

            hold:
              first_pause: 200ms
              longest_pause: 500ms
            worker:
              concurrency: 50
            """

    private struct Ended {
        var fates: [String: Int]
        var letters: Int
        var log: String
    }

    /// Publishes records to a worker whose upstream is at fault from before the first, until the log says this.
    private static func outcomes(of count: Int, under fault: Faults, until sign: String? = nil) async throws
        -> Ended
    {
        let cluster = try TestCluster()
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        let worker = try WorkerUnderTest(
            cluster,
            upstream: "http://127.0.0.1:\(gdt.port)",
            more: Self.quickHolds
        )
        // One record through, so that the fault meets a worker that works.
        try cluster.publish([Activations.good(0, to: cluster.input)])
        let results = try TopicContents(cluster.results, cluster)
        #expect(results.read(outcomes: 1), "\(worker.log)")
        await gdt.setFaults(fault)
        try cluster.publish((1..<count).map { Activations.good($0, to: cluster.input) })
        if let sign {
            #expect(worker.waitForLog(sign), "\(worker.log)")
            await gdt.setFaults(Faults())
        }
        #expect(results.read(outcomes: count), "\(worker.log)")
        #expect(worker.stop() == 0, "\(worker.log)")
        let letters = try TopicContents(cluster.deadLetters, cluster)
        _ = letters.read(atMost: .seconds(1)) { _ in false }
        let fates = Dictionary(
            results.records.compactMap(\.outcome).map { ($0.fate, 1) },
            uniquingKeysWith: +
        )
        await gdt.stop()
        try cluster.remove()
        return Ended(fates: fates, letters: letters.records.count, log: worker.log)
    }

    /// A wrong path, a block, a redirect, a proxy that wants a password.
    @Test(arguments: [404, 403, 302, 407])
    func aBlockDeadLettersNothing(status: Int) async throws {
        var fault = Faults()
        fault.serverError = .init(status: status)
        let ended = try await Self.outcomes(of: 300, under: fault, until: "lane held")
        #expect(ended.fates == ["succeeded": 300] && ended.letters == 0, "\(ended)")
    }

    /// The run of rejections that makes a suspicion is three, so two are dead-lettered before the lane is held.
    @Test func aCodeThatNobodyKnowsDeadLettersNoMoreThanItTakesToSuspect() async throws {
        var fault = Faults()
        fault.wrongRets = [.init(ret: -7)]
        let ended = try await Self.outcomes(of: 300, under: fault, until: "lane held")
        #expect(ended.letters <= 2, "\(ended.fates)")
        #expect(ended.fates["succeeded"] == 300 - ended.letters, "\(ended)")
    }

    /// One record that is refused so while its neighbours are answered is a dead letter, and holds nobody up for long.
    @Test func oneOddRecordIsDeadLetteredAlone() async throws {
        var fault = Faults()
        fault.wrongRets = [.init(ret: -7, muidPrefix: "a2")]
        let ended = try await Self.outcomes(of: 40, under: fault)
        #expect(ended.fates == ["succeeded": 39, "dead_lettered": 1] && ended.letters == 1)
    }
}
