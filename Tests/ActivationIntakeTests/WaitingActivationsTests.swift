import Records
import ServiceKit
import Simulation
import TestMaterial
import Testing
import WireFormats

@testable import ActivationIntake

/// Activations that are read before the click that has led to them.
struct WaitingActivationsTests {
    private static let matching = "attribution:\n  report: match"
    private let patience = Duration.seconds(300)

    private func results(of bench: IntakeBench) -> [String] { bench.codes(in: "activation.result") }

    /// The records of the changelog that are not taken back.
    private func remembered(by bench: IntakeBench, _ kind: RememberedKind) -> Int {
        var keys: Set<[UInt8]> = []
        for record in bench.scene.sent(to: "activation.home.changelog") {
            guard let key = record.key, key.first == kind.rawValue else { continue }
            if record.value == nil { keys.remove(key) } else { keys.insert(key) }
        }
        return keys.count
    }

    @Test(arguments: [false, true])
    func anActivationThatIsReadBeforeItsClickWaitsForIt(isTakenOver: Bool) throws {
        let bench = try IntakeBench(Self.matching)
        let origin = [RecordHeader("x", "y")]
        bench.take("activation", IntakeBench.activation(), headers: origin)
        bench.take("activation", IntakeBench.activation(), headers: origin)
        #expect(bench.due.isEmpty && self.results(of: bench).isEmpty)
        if isTakenOver { bench.scene.rebalance() }
        bench.scene.wait(self.patience - .seconds(1))
        bench.scene.collect()
        bench.take("activation-click", IntakeBench.click(id: "c", secondsBefore: 10))
        #expect(bench.due.map(IntakeBench.clickID) == ["c"])
        #expect(bench.due.map { $0.headers.filter { $0.name == "x" } } == [origin])
        #expect(bench.due.map(\.timestamp) == [IntakeBench.start.wall])
        #expect(self.results(of: bench) == ["activation.duplicate"])
        // Both have their end, and get no other one when their time is over.
        bench.scene.wait(self.patience)
        bench.scene.collect()
        #expect(bench.due.count == 1 && self.results(of: bench).count == 1)
        #expect(self.remembered(by: bench, .waiting) == 0)
        let own = ["flotilla.intake.", "flotilla.state."]
        #expect(bench.due[0].headers.filter { header in own.contains { header.name.hasPrefix($0) } } == [])
    }

    /// The brokers put their time on the records of the changelog, and versions before wrote none into its headers.
    @Test(arguments: [false, true])
    func anActivationKeepsItsTimeThroughTheChangelog(isOfAnOlderVersion: Bool) throws {
        let bench = try IntakeBench(Self.matching)
        bench.take("activation", IntakeBench.activation())
        let written = try #require(bench.scene.sent(to: "activation.home.changelog").first)
        let time = try #require(written.timestamp)
        let headers = written.headers.filter { $0.name != "flotilla.intake.time" }
        #expect(headers.count == written.headers.count - 1)
        let record = InboundRecord(
            topic: "activation.home.changelog",
            partition: 0,
            offset: 0,
            timestamp: isOfAnOlderVersion ? time : time + 86_400_000,
            key: written.key,
            value: written.value,
            headers: isOfAnOlderVersion ? headers : written.headers
        )
        let waiting = WaitingActivations.Waiting(changelog: record, of: "activation.home")
        #expect(waiting?.record.timestamp == time)
        #expect(waiting?.record.headers.contains { $0.name.hasPrefix("flotilla.intake.time") } == false)
    }

    /// An operator can add partitions, and then devices are looked for elsewhere. Also a record that takes a thing
    /// back tells: it may be the only one of its partition.
    @Test func everyRecordOfTheStateTellsOverHowManyPartitionsItIsSpread() throws {
        let bench = try IntakeBench(Self.matching)
        bench.take("activation", IntakeBench.activation())
        bench.take("activation-click", IntakeBench.click(id: "c", secondsBefore: 10))
        let records = bench.scene.sent(to: "activation.home.changelog")
        #expect(records.contains { $0.value == nil } && records.contains { $0.value != nil })
        for record in records {
            let numbers = record.headers.filter { $0.name == "flotilla.state.partitions" }.map(\.value)
            #expect(numbers == [Array("3".utf8)])
        }
    }

    @Test(arguments: [nil, "unknown"], [false, true])
    func withoutAClickItIsRefusedWhenItsTimeIsOver(named: String?, isTakenOver: Bool) throws {
        let bench = try IntakeBench(Self.matching)
        bench.take("activation", IntakeBench.activation(click: named))
        if isTakenOver { bench.scene.rebalance() }
        bench.scene.wait(self.patience)
        bench.scene.collect()
        #expect(self.results(of: bench).isEmpty)
        bench.scene.wait(.milliseconds(1))
        bench.scene.collect()
        #expect(self.results(of: bench) == ["attribution.no_click"])
        #expect(bench.due.isEmpty)
        #expect(self.remembered(by: bench, .waiting) == 0)
    }

    /// After an outage everything that has waited is due at once.
    @Test func aTransactionDecidesABoundedNumber() throws {
        let bench = try IntakeBench(Self.matching)
        let count = 3 * HomeTask.decisionsLimit + 7
        for number in 0..<count {
            bench.take("activation", IntakeBench.activation(muid: Muid.text(number)))
        }
        bench.scene.wait(self.patience + .milliseconds(1))
        var decided = 0
        while decided < count {
            bench.scene.collect()
            let now = self.results(of: bench).count
            // There are three homes.
            #expect(now > decided && now - decided <= 3 * HomeTask.decisionsLimit)
            decided = now
        }
        #expect(decided == count)
    }

    /// After an outage of the intake, or where the feed lags, an activation was once judged by the first click that was read.
    @Test(arguments: [false, true])
    func ofABacklogTheLastClickWins(isFirstKnown: Bool) throws {
        let bench = try IntakeBench(Self.matching)
        let published = IntakeBench.start.wall
        func click(_ id: String, _ seconds: Int64) {
            let click = IntakeBench.click(id: id, secondsBefore: seconds)
            bench.take("activation-click", click, timestamp: published)
        }
        if isFirstKnown { click("first", 500) }
        bench.scene.wait(.seconds(11))
        bench.take("activation", IntakeBench.activation(), timestamp: published)
        if !isFirstKnown { click("first", 500) }
        click("last", 100)
        click("before", 200)
        #expect(bench.due.isEmpty)
        bench.scene.wait(self.patience + .milliseconds(1))
        bench.scene.collect()
        #expect(bench.due.map(IntakeBench.clickID) == ["last"])
        #expect(self.results(of: bench).isEmpty && self.remembered(by: bench, .waiting) == 0)
    }

    /// A click without a device is known at the home of its id alone.
    @Test func aLateClickIsFoundByItsIdToo() throws {
        let bench = try IntakeBench(Self.matching)
        bench.take("activation", IntakeBench.activation(click: "c"))
        bench.take("activation-click", IntakeBench.click(muid: nil, id: "c", secondsBefore: 10))
        #expect(bench.due.isEmpty)
        bench.scene.wait(self.patience + .milliseconds(1))
        bench.scene.collect()
        #expect(bench.due.map(IntakeBench.clickID) == ["c"])
        #expect(self.results(of: bench).isEmpty)
    }

    /// A click releases what it has led to, and nothing else of its device.
    @Test func aClickOfAnotherAppReleasesNothing() throws {
        let bench = try IntakeBench(Self.matching)
        bench.take("activation", IntakeBench.activation())
        for number in 0..<100 {
            let click = IntakeBench.click(id: "\(number)", secondsBefore: 10, app: "9")
            bench.take("activation-click", click)
        }
        #expect(bench.due.isEmpty)
        bench.take("activation-click", IntakeBench.click(id: "c", secondsBefore: 10))
        #expect(bench.due.map(IntakeBench.clickID) == ["c"])
    }

    /// Where memory is short, many activations that wait make others wait for a shorter time, and each of them still
    /// has one outcome.
    @Test func aFloodOfActivationsThatWaitIsDecidedEarly() throws {
        let bench = try IntakeBench(Self.matching)
        bench.take("activation-click", IntakeBench.click(id: "c", secondsBefore: 100))
        bench.scene.isCrowded = true
        for number in 0..<1_000 {
            let muid = Muid.text(number + 1_000)
            bench.take("activation", IntakeBench.activation(muid: muid, click: "unknown"))
        }
        #expect(bench.scene.byteCount < 20_000)
        bench.take("activation", IntakeBench.activation())
        #expect(bench.due.map(IntakeBench.clickID) == ["c"])
        bench.scene.wait(self.patience + .milliseconds(1))
        bench.scene.collect()
        #expect(self.results(of: bench) == Array(repeating: "attribution.no_click", count: 1_000))
        #expect(self.remembered(by: bench, .waiting) == 0)
    }

    /// Activations that have left the table leave nothing there, however many there were.
    @Test func theTableIsAsLargeAsWhatWaits() {
        var table = WaitingActivations()
        for offset in 0..<1_000 as Range<Int64> {
            let record = InboundRecord(topic: "home", partition: 0, offset: offset, value: [1, 2, 3])
            let waiting = WaitingActivations.Waiting(
                record: record,
                device: [UInt8(offset % 7)],
                since: offset
            )
            #expect(table.add(waiting) == nil)
            if offset % 10 > 0 { table.remove(waiting.key.key) }
        }
        #expect(table.count == 100)
        #expect(table.byteCount < 100 * 3 * 300)
        #expect((0..<7).map { table.all(of: [$0]).count }.reduce(0, +) == 100)
        var times: [Int64] = []
        while let oldest = table.removeOldest(before: 900) { times.append(oldest.since) }
        #expect(times == (0..<90).map { $0 * 10 })
        while table.removeOldest(before: .max) != nil {}
        #expect(table.byteCount == 0 && table.oldest == nil)
    }

    /// One device cannot make a single click cost much work.
    @Test(arguments: [false, true])
    func ofOneDeviceOnlyAFewWait(isTakenOver: Bool) throws {
        let bench = try IntakeBench(Self.matching + "\nduplicates:\n  window: 0s")
        let limit = WaitingActivations.deviceLimit
        for _ in 0..<3 * limit { bench.take("activation", IntakeBench.activation()) }
        if isTakenOver { bench.scene.rebalance() }
        #expect(self.results(of: bench) == Array(repeating: "attribution.no_click", count: 2 * limit))
        #expect(self.remembered(by: bench, .waiting) == limit)
        bench.take("activation-click", IntakeBench.click(id: "c", secondsBefore: 10))
        #expect(bench.due.count == limit)
    }

    /// An activation as large as a record may be has no room for its place in the changelog, and is decided at once.
    @Test func anActivationThatIsTooLargeForTheChangelogDoesNotWait() throws {
        let bench = try IntakeBench(Self.matching)
        let limit = bench.scene.settings.kafka.messageBytesLimit
        var waiting = 0
        for size in (limit - 900)...(limit - 300) where size % 10 == 0 {
            let more = #","x":"\#(String(repeating: "x", count: size))""#
            bench.take("activation", IntakeBench.activation(more: more))
            waiting = self.remembered(by: bench, .waiting)
        }
        #expect(waiting > 0)
        for record in bench.scene.sent { #expect(record.encodedBytesBound <= limit) }
        let outcomes = bench.scene.sent(to: "activation.result").count + bench.due.count
        #expect(outcomes + waiting == 61)
    }
}

/// The muids of these tests.
private enum Muid {
    static func text(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}
