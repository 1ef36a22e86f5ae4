import Foundation
import Operations
import ServiceKit

/// One look at a worker: what its health and metrics pages say at a moment.
struct WorkerSight: Hashable, Sendable {
    /// Whether the worker takes work.
    enum Condition: Hashable, Sendable {
        case ready
        /// The worker answers and takes no work, for this reason.
        case notReady(String)
        /// No worker answers there, for this reason.
        case silent(String)
    }

    /// The numbers per second between two looks.
    struct Rates: Hashable, Sendable {
        var settled: Double
        var calls: Double
        var deadLetters: Double
    }

    /// The address of the pages.
    var address: String
    var condition: Condition
    /// The worker's numbers; nil if it has not told them.
    var figures: WorkerFigures?
    var rates: Rates?

    /// Describes a worker that does not answer.
    init(_ address: String, silence: String) {
        self.address = address
        self.condition = .silent(silence)
    }

    /// Reads the pages of a worker.
    ///
    /// - Parameters:
    ///   - readiness: the body of `/readyz`, whose status was `status`.
    ///   - metrics: the page `/metrics`.
    init(_ address: String, status: Int, readiness: [UInt8], metrics: [UInt8]) {
        self.address = address
        self.figures = WorkerFigures(MetricsPage(metrics))
        guard self.figures != nil else {
            self.condition = .silent("the metrics there are of no worker of this fleet")
            return
        }
        self.condition = status == 200 ? .ready : .notReady(Self.reason(readiness, status: status))
    }

    /// Returns the reason of a health page: `{"status":"not ready","reason":"…"}`.
    private static func reason(_ body: [UInt8], status: Int) -> String {
        struct Page: Decodable {
            var status: String
            var reason: String?
        }
        guard let page = try? JSONDecoder().decode(Page.self, from: Data(body)) else {
            return "/readyz answers with status \(status)"
        }
        return page.reason ?? page.status
    }

    /// Whether the worker takes work.
    var isReady: Bool { self.condition == .ready }

    /// Adds the rates since an earlier look. There are none if the process has started anew meanwhile.
    mutating func compare(with earlier: WorkerSight, seconds: Double) {
        guard seconds > 0, let old = earlier.figures?.counters, let new = self.figures?.counters,
            new.settled >= old.settled, new.calls >= old.calls, new.deadLetters >= old.deadLetters
        else { return }
        self.rates = Rates(
            settled: Double(new.settled - old.settled) / seconds,
            calls: Double(new.calls - old.calls) / seconds,
            deadLetters: Double(new.deadLetters - old.deadLetters) / seconds
        )
    }
}
