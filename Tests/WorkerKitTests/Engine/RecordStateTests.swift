import Foundation
import Records
import Testing
import UpstreamHTTP
import WireFormats

@testable import WorkerKit

struct RecordStateTests {
    /// The comment at the head of `RecordState` lists the moves. A reader trusts it, so it is the table.
    @Test func theListAtTheHeadIsTheTableOfMoves() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/Engine/WorkerKit/Engine/RecordState.swift")
        var listed: [String: Set<String>] = [:]
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            guard line.hasPrefix("///     "), let arrow = line.firstRange(of: "→") else { continue }
            let from = line[..<arrow.lowerBound].dropFirst(8).trimmingCharacters(in: .whitespaces)
            let to = line[arrow.upperBound...].split(separator: ",")
            listed[from] = Set(to.map { $0.trimmingCharacters(in: .whitespaces) })
        }
        let kinds = RecordState.Kind.allCases
        let table = kinds.map { kind in
            ("\(kind)", Set(kinds.filter { kind.next.contains($0) }.map { "\($0)" }))
        }
        #expect(listed == Dictionary(uniqueKeysWithValues: table))
    }

    /// Each state can be reached from the arrival, and from each state a record can reach its end.
    @Test func noStateIsADeadEnd() {
        let kinds = RecordState.Kind.allCases
        func reached(from start: RecordState.Kind) -> Set<RecordState.Kind> {
            var all: Set = [start]
            var size = 0
            while all.count > size {
                size = all.count
                for kind in all { all.formUnion(kinds.filter { kind.next.contains($0) }) }
            }
            return all
        }
        #expect(reached(from: .arrived) == Set(kinds))
        for kind in kinds { #expect(reached(from: kind).contains(.settling), "\(kind)") }
    }
}

struct RecordTableTests {
    private var table = RecordTable(endpoints: 2)

    private func record(_ value: String = "value") -> Entry {
        .undated(offset: 7, value: Array(value.utf8))
    }

    private func call(to endpoint: Int, isOutlier: Bool = false) -> RecordState {
        .calling(
            CallInFlight(
                number: 1,
                endpoint: endpoint,
                lane: "lane",
                job: 1,
                began: 0,
                attempt: 1,
                isFirstThere: true,
                isOutlier: isOutlier,
                isFaulty: false,
                mayBeCut: true,
                followsCut: false,
                mayShare: false
            )
        )
    }

    private var outcome: Publication {
        Publication(
            [OutboundRecord(topic: "result", value: [UInt8](repeating: 0, count: 100), partition: 0)],
            for: .end(Settlement(fate: .succeeded))
        )
    }

    @Test mutating func theNumbersFollowFromTheStates() {
        let (first, second) = (self.table.add(self.record()), self.table.add(self.record()))
        let bytes = self.table.bytes
        #expect(self.table.count(of: .arrived) == 2)
        for id in [first, second] { self.table.move(id, to: .ready(nil)) }
        self.table.move(first, to: self.call(to: 0))
        self.table.move(second, to: self.call(to: 1, isOutlier: true))
        #expect(self.table.count(of: .calling) == 2 && self.table.count(of: .ready) == 0)
        #expect((0..<2).map { self.table.calls(to: $0) } == [1, 1])
        #expect((0..<2).map { self.table.outlierCalls(to: $0) } == [0, 1])
        #expect((0..<2).map { self.table.endpointsOfOutliers(beside: $0) } == [1, 0])

        self.table.move(first, to: .settling(self.outcome))
        #expect(self.table.calls(to: 0) == 0 && self.table.settlingCount == 1)
        #expect(self.table.outcomeBytes == 100 && self.table.bytes == bytes + 100)
        self.table.move(first, to: .waiting(self.outcome))
        #expect(self.table.outcomeBytes == 100 && self.table.settlingCount == 1)
        self.table.move(first, to: .settling(self.outcome))
        self.table.move(first, to: .written(self.outcome))
        #expect(self.table.settlingCount == 0)
        self.table.remove(first)
        #expect(self.table.count == 1 && self.table.outcomeBytes == 0 && !self.table.isCurrent(first))
    }

    @Test mutating func aCallOutlivesItsRecordAsAnOrphan() {
        let id = self.table.add(self.record())
        self.table.move(id, to: .ready(nil))
        self.table.move(id, to: self.call(to: 1, isOutlier: true))
        self.table.remove(id)
        #expect(self.table.callsInFlight == 1 && self.table.orphanedCalls == 1)
        #expect(self.table.calls(to: 1) == 0 && self.table.outlierCalls(to: 1) == 1 && self.table.bytes == 0)
        #expect(self.table.call(of: id) == nil)
        #expect(self.table.callsInFlight(to: 1) == 1 && self.table.callsInFlight(to: 0) == 0)
        _ = self.table.orphanEnded(id)
        #expect(self.table.callsInFlight == 0 && self.table.callsInFlight(to: 1) == 0)
        #expect(self.table.outlierCalls(to: 1) == 0)
    }

    @Test mutating func aFollowUpGoesAlongUntilItsCallIsMade() {
        let request = HTTPRequest(method: .get, url: "https://example.org/")
        let next = FollowUp(Call<any Sendable>(request, for: 1, lane: "lane"))
        let id = self.table.add(self.record())
        self.table.move(id, to: .ready(next))
        self.table.move(id, to: .blocked(self.table[id].state.followUp))
        #expect(self.table[id].state.followUp === next)
        self.table.move(id, to: .ready(self.table[id].state.followUp))
        self.table.move(id, to: self.call(to: 0))
        #expect(self.table[id].state.followUp == nil)
    }

    @Test mutating func aPublicationIsChangedInItsState() {
        let id = self.table.add(self.record())
        self.table.move(id, to: .settling(self.outcome))
        #expect(self.table.withPublication(of: id) { $0.acknowledgeOne() } != nil)
        #expect(self.table[id].state.publication?.isAcknowledged == true)
        #expect(self.table[id].state.publication?.current == nil)
        self.table.withPublication(of: id) { $0.startOver() }
        #expect(self.table[id].state.publication?.current?.topic == "result")
    }

    /// A move past the acknowledgement of the broker would lose the record, so the program ends instead.
    @Test func aMoveThatTheTableDoesNotListEndsTheProgram() async {
        #expect(!RecordState.Kind.arrived.next.contains(.written))
        await #expect(processExitsWith: .failure) {
            var table = RecordTable(endpoints: 1)
            let id = table.add(
                .undated(offset: 7)
            )
            table.move(id, to: .written(Publication([], for: .copy)))
        }
    }
}
