package import EmbeddedBroker
import Foundation
import Terminal

/// An order to the embedded broker in another process, as a line of JSON on its standard input. The broker
/// answers each order with a line that counts the faults so far.
package struct BrokerOrder: Codable, Hashable, Sendable {
    /// The faults from now on. They replace all earlier ones.
    package struct Faults: Codable, Hashable, Sendable {
        /// The least and the greatest delay of each response.
        package var latencyMilliseconds: [Int]?
        package var refusedProduceShare: Double?
        package var unansweredProduceShare: Double?
        package var unansweredEndShare: Double?
        /// The least and the greatest delay of transaction markers.
        package var markerDelayMilliseconds: [Int]?
        package var refusesConnections: Bool?

        /// Creates faults with which nothing goes wrong.
        package init() {}

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
    package struct Counts: Codable, Hashable, Sendable {
        package var refusedProduces: Int
        package var unansweredProduces: Int
        package var unansweredEnds: Int
        package var refusedConnections: Int
        package var coordinatorMoves: Int
    }

    /// The new faults; nil leaves them unchanged.
    package var faults: Faults?
    /// The time for which the coordinators are moved; nil for no move.
    package var movesCoordinatorsForMilliseconds: Int?
    /// Whether all connections are closed.
    package var cutsConnections: Bool?

    /// Makes an order; a part that is left out changes nothing.
    package init(
        faults: Faults? = nil,
        movesCoordinatorsForMilliseconds: Int? = nil,
        cutsConnections: Bool? = nil
    ) {
        self.faults = faults
        self.movesCoordinatorsForMilliseconds = movesCoordinatorsForMilliseconds
        self.cutsConnections = cutsConnections
    }

    private enum CodingKeys: String, CodingKey {
        case faults
        case movesCoordinatorsForMilliseconds = "moves_coordinators_for_milliseconds"
        case cutsConnections = "cuts_connections"
    }

    /// The order as one line of JSON.
    package var line: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // The values are numbers and names, so encoding cannot fail.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// Carries out an order in the broker's process, and prints the counts.
    ///
    /// - Throws: `Complaint` if the line is not an order.
    package static func carryOut(_ line: [UInt8], on broker: EmbeddedBroker) async throws {
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
