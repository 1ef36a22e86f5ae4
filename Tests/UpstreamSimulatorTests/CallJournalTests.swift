import Foundation
import Testing

@testable import UpstreamSimulator

struct CallJournalTests {
    private static func entry(_ number: Int) -> CallJournal.Entry {
        .init(clickID: "\(number)", isCall: true)
    }

    @Test func everyEntryIsReadOnceAndInOrder() {
        var journal = CallJournal(limit: 100_000)
        var (written, position) = (0, 0)
        var read: [String] = []
        for burst in [1, 0, 7_000, 3, 0, 12_001, 1] {
            for _ in 0..<burst {
                journal.note(Self.entry(written))
                written += 1
            }
            let page = journal.page(from: position)
            #expect(page.first == position && page.lost == 0 && page.entries.count <= 5_000)
            read += page.entries.map(\.clickID)
            position += page.entries.count
        }
        while case let page = journal.page(from: position), !page.entries.isEmpty {
            read += page.entries.map(\.clickID)
            position += page.entries.count
        }
        #expect(read == (0..<written).map(String.init))
    }

    /// A page whose answer was lost is asked for again.
    @Test func whatHasNotBeenLeftBehindCanBeReadAgain() {
        var journal = CallJournal(limit: 10)
        for number in 0..<5 { journal.note(Self.entry(number)) }
        #expect(journal.page(from: 2) == journal.page(from: 2))
        #expect(journal.page(from: 2).entries.first == Self.entry(2))
    }

    @Test func whatNobodyReadsIsForgottenAndCounted() {
        var journal = CallJournal(limit: 10)
        for number in 0..<1_000 { journal.note(Self.entry(number)) }
        let page = journal.page(from: 0)
        #expect(page.lost == 990 && page.first == 990)
        #expect(page.entries == (990..<1_000).map(Self.entry))
    }

    @Test func withoutALimitNothingIsKept() {
        var journal = CallJournal(limit: 0)
        journal.note(Self.entry(1))
        #expect(journal.page(from: 0).entries.isEmpty)
    }

    /// Over real sockets: what was asked, and what was said in answers that were sent as a whole.
    @Test func theDeskTellsOfCallsAndAnswers() async throws {
        let keys = GDTKeys(
            appID: "111",
            advertiserID: "222",
            signKey: "0f1e2d3c4b5a6978",
            encryptKey: "7d31c0a9e85f4b26"
        )
        var settings = GDTSimulator.Settings(keys: [keys])
        settings.now = { Reporter.now * 1000 }
        settings.journalLimit = 100
        let simulator = try await GDTSimulator.start(settings)
        await simulator.setFaults(Faults(serverError: .init(when: Dose(next: 1))))
        let connection = try await TestConnection(port: simulator.port)
        _ = await connection.ask(Reporter().target)
        _ = await connection.ask(Reporter().target)
        let answer = await connection.ask("/control/calls?from=0")
        let page = try JSONDecoder().decode(CallJournal.Page.self, from: Data(answer.body.utf8))
        #expect(page.entries.map(\.isCall) == [true, false, true, false])
        #expect(page.entries.map(\.ret) == [nil, nil, nil, 0])
        #expect(Set(page.entries.map(\.clickID)).count == 1)
        #expect(await connection.ask("/control/calls?from=x").status == 400)
        await simulator.stop()
    }
}
