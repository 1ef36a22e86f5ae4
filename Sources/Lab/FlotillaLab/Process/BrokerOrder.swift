import EmbeddedBroker
import Foundation
import Terminal

/// An order to the embedded broker in another process, as a line of JSON on its standard input. The broker
/// answers each order with a line that counts the faults so far.
struct BrokerOrder: Codable, Hashable, Sendable {
    /// The faults from now on. They replace all earlier ones.
    struct Faults: Codable, Hashable, Sendable {
        /// The least and the greatest delay of each response.
        var latencyMilliseconds: [Int]?
        var refusedProduceShare: Double?
        var unansweredProduceShare: Double?
        var unansweredEndShare: Double?
        /// The least and the greatest delay of transaction markers.
        var markerDelayMilliseconds: [Int]?
        var refusesConnections: Bool?

        private enum CodingKeys: String, CodingKey {
            case latencyMilliseconds = "latency_milliseconds"
            case refusedProduceShare = "refused_produce_share"
            case unansweredProduceShare = "unanswered_produce_share"
            case unansweredEndShare = "unanswered_end_share"
            case markerDelayMilliseconds = "marker_delay_milliseconds"
            case refusesConnections = "refuses_connections"
        }
    }

    /// The counts of faults since the broker started, in the broker's response.
    struct Counts: Codable, Hashable, Sendable {
        var refusedProduces: Int
        var unansweredProduces: Int
        var unansweredEnds: Int
        var refusedConnections: Int
        var coordinatorMoves: Int
    }

    /// The new faults; nil leaves them unchanged.
    var faults: Faults?
    /// The time for which the coordinators are moved; nil for no move.
    var movesCoordinatorsForMilliseconds: Int?
    /// Whether all connections are closed.
    var cutsConnections: Bool?

    private enum CodingKeys: String, CodingKey {
        case faults
        case movesCoordinatorsForMilliseconds = "moves_coordinators_for_milliseconds"
        case cutsConnections = "cuts_connections"
    }

    /// The order as one line of JSON.
    var line: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // The values are numbers and names, so encoding cannot fail.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// Carries out an order in the broker's process, and prints the counts.
    ///
    /// - Throws: `Complaint` if the line is not an order.
    static func carryOut(_ line: [UInt8], on broker: EmbeddedBroker) async throws {
        guard let order = try? JSONDecoder().decode(BrokerOrder.self, from: Data(line)) else {
            throw Complaint("an order cannot be understood: \(String(decoding: line, as: UTF8.self))")
        }
        if let faults = order.faults { try await broker.setFaults(faults.ofBroker) }
        if let length = order.movesCoordinatorsForMilliseconds {
            try await broker.moveCoordinators(for: .milliseconds(length))
        }
        if order.cutsConnections == true { try await broker.cutConnections() }
        let counts = Counts(try await broker.faultCounts())
        Console.line(String(decoding: try JSONEncoder().encode(counts), as: UTF8.self))
    }
}

extension BrokerOrder.Faults {
    fileprivate var ofBroker: BrokerFaults {
        var faults = BrokerFaults()
        faults.latency = Self.range(self.latencyMilliseconds)
        faults.markerDelay = Self.range(self.markerDelayMilliseconds)
        faults.refusedProduceShare = self.refusedProduceShare ?? 0
        faults.unansweredProduceShare = self.unansweredProduceShare ?? 0
        faults.unansweredEndShare = self.unansweredEndShare ?? 0
        faults.refusesConnections = self.refusesConnections ?? false
        return faults
    }

    private static func range(_ milliseconds: [Int]?) -> ClosedRange<Duration> {
        guard let first = milliseconds?.first, let last = milliseconds?.last, first <= last else {
            return .zero...Duration.zero
        }
        return .milliseconds(first)...(.milliseconds(last))
    }
}

extension BrokerOrder.Counts {
    fileprivate init(_ counts: FaultCounts) {
        self.init(
            refusedProduces: counts.refusedProduces,
            unansweredProduces: counts.unansweredProduces,
            unansweredEnds: counts.unansweredEnds,
            refusedConnections: counts.refusedConnections,
            coordinatorMoves: counts.coordinatorMoves
        )
    }
}
