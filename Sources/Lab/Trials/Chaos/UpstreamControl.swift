import Foundation
import Harness
import UpstreamHTTP
import UpstreamSimulator

/// A client of a simulator's control endpoints during a chaos run: it sets faults, and reads the journal of
/// calls.
final class UpstreamControl {
    /// The time between two requests of the same kind.
    private static let pause = Duration.milliseconds(200)

    private let harness: Harness
    private let url: String
    /// The bodies that are still to be posted, in order, each with its path. The first may be in flight.
    private var orders: [(path: String, body: String)] = []
    /// The id of the request that posts the first body; nil if none is in flight.
    private var orderID: UInt64?
    /// The id of the request for a page of the journal; nil if none is in flight.
    private var pageID: UInt64?
    private var nextPage = ContinuousClock.now
    private var nextOrder = ContinuousClock.now
    /// The number of the next journal entry to read.
    private var position = 0
    /// Whether the last page was empty: all entries up to then have been read.
    private(set) var isUpToDate = false

    init(_ url: String, on harness: Harness) {
        self.url = url
        self.harness = harness
    }

    /// Queues a request that replaces the simulator's faults.
    func set(_ faults: Faults) { self.post(faults, to: "/control/faults") }

    /// Queues a request that adds an account to the simulator of GDT.
    func add(_ keys: GDTKeys) { self.post([keys], to: "/control/keys") }

    private func post(_ value: some Encodable, to path: String) {
        // The values are numbers and names, so encoding cannot fail.
        if let body = try? JSONEncoder().encode(value) {
            self.orders.append((path, String(decoding: body, as: UTF8.self)))
        }
    }

    /// Handles responses and starts the requests that are due. While the simulator's port is closed every
    /// request fails, so each is repeated until it succeeds.
    ///
    /// - Parameter take: called with each new page of the journal; nil if the journal is not read.
    func turn(_ take: ((CallJournal.Page) -> Void)?) {
        if let id = self.orderID, let answer = self.harness.takeAnswer(id) {
            self.orderID = nil
            if case .success(let response) = answer, response.status == 200 { self.orders.removeFirst() }
            self.nextOrder = .now + (self.orders.isEmpty ? .zero : Self.pause)
        }
        if self.orderID == nil, let order = self.orders.first, .now >= self.nextOrder {
            self.orderID = self.harness.ask(self.request(order.path, posting: order.body))
        }
        if let take { self.readOn(take) }
    }

    private func readOn(_ take: (CallJournal.Page) -> Void) {
        if let id = self.pageID, let answer = self.harness.takeAnswer(id) {
            self.pageID = nil
            self.nextPage = .now + Self.pause
            if case .success(let response) = answer, response.status == 200,
                let page = try? JSONDecoder().decode(CallJournal.Page.self, from: Data(response.body)),
                let end = page.end
            {
                take(page)
                self.position = end
                self.isUpToDate = page.entries.isEmpty
            }
        }
        if self.pageID == nil, .now >= self.nextPage {
            self.pageID = self.harness.ask(self.request("/control/calls?from=\(self.position)"))
        }
    }

    private func request(_ path: String, posting body: String? = nil) -> HTTPRequest {
        HTTPRequest(
            method: body == nil ? .get : .post,
            url: "\(self.url)\(path)",
            body: body.map { Array($0.utf8) }
        )
    }
}

extension CallJournal.Page {
    /// The number of the entry after the last one; nil if the sum overflows.
    var end: Int? {
        let (end, overflow) = self.first.addingReportingOverflow(self.entries.count)
        return overflow ? nil : end
    }
}

extension UpstreamTrouble {
    /// The faults for a simulator of GDT or Apple. All of them end by themselves after this time, except the
    /// latency.
    func faults(for length: Duration) -> Faults {
        let milliseconds = Int64(length / .milliseconds(1))
        let always = Dose(forMilliseconds: milliseconds)
        func sometimes(_ share: Double) -> Dose { Dose(probability: share, forMilliseconds: milliseconds) }
        switch self {
        case .refuses: return Faults(down: .init(milliseconds: milliseconds, manner: .refuse))
        case .resets: return Faults(down: .init(milliseconds: milliseconds, manner: .reset))
        case .fails: return Faults(serverError: .init(when: always))
        case .isSilent: return Faults(hang: always)
        case .throttles: return Faults(throttle: .init(retryAfterSeconds: 1, when: always))
        case .isSlow: return Faults(latency: .init(milliseconds: 100, jitterMilliseconds: 400))
        case .isFlaky:
            return Faults(
                cutBefore: sometimes(0.03),
                serverError: .init(when: sometimes(0.03)),
                cutAfter: sometimes(0.03)
            )
        case .losesAnswers: return Faults(cutAfter: sometimes(0.3))
        }
    }
}

extension BrokerTrouble {
    func order(for length: Duration) -> BrokerOrder {
        var faults = BrokerOrder.Faults()
        switch self {
        case .isSlow: faults.latencyMilliseconds = [20, 300]
        case .refusesRecords: faults.refusedProduceShare = 0.3
        case .losesAnswers: faults.unansweredProduceShare = 0.2
        case .losesEnds: faults.unansweredEndShare = 0.5
        case .isLateWithMarkers: faults.markerDelayMilliseconds = [50, 500]
        case .movesCoordinators:
            return BrokerOrder(movesCoordinatorsForMilliseconds: Int(length / .milliseconds(1)))
        case .cutsConnections: return BrokerOrder(cutsConnections: true)
        case .isDeaf:
            faults.refusesConnections = true
            return BrokerOrder(faults: faults, cutsConnections: true)
        }
        return BrokerOrder(faults: faults)
    }
}
