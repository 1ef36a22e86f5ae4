import EmbeddedBroker
import Terminal
import Testing

@testable import Harness
@testable import Rehearsal
@testable import Trials

struct BrokerOrderTests {
    @Test func anOrderIsOneLine() {
        for trouble in BrokerTrouble.allCases {
            let line = trouble.order(for: .seconds(2)).line
            #expect(!line.contains("\n") && line.hasPrefix("{") && line != "{}", "\(line)")
        }
    }

    @Test func aMisspeltOrderEndsTheBroker() async throws {
        let broker = try await EmbeddedBroker.start()
        await #expect(throws: Complaint.self) {
            try await BrokerOrder.carryOut(Array(#"{"faults":7}"#.utf8), on: broker)
        }
        await #expect(throws: Complaint.self) {
            try await BrokerOrder.carryOut(Array("be slow".utf8), on: broker)
        }
        await broker.stop()
    }

    @Test func itIsCarriedOut() async throws {
        let broker = try await EmbeddedBroker.start()
        let order = BrokerTrouble.movesCoordinators.order(for: .milliseconds(10))
        try await BrokerOrder.carryOut(Array(order.line.utf8), on: broker)
        #expect(try await broker.faultCounts().coordinatorMoves == 1)
        await broker.stop()
    }
}
