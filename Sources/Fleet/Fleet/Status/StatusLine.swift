import Foundation
import ServiceKit

/// The workers as one line of JSON.
enum StatusLine {
    /// Returns the line, without a line end.
    static func text(_ sights: [WorkerSight], at time: String) -> String {
        var line = JSONLine()
        line.add("at", time)
        line.addRaw("ready", sights.allSatisfy(\.isReady) ? "true" : "false")
        line.addRaw("workers", self.list(sights.map(self.worker)))
        return line.text
    }

    private static func worker(_ sight: WorkerSight) -> String {
        var line = JSONLine()
        line.add("address", sight.address)
        switch sight.condition {
        case .ready: line.add("state", "ready")
        case .notReady(let reason):
            line.add("state", "not_ready")
            line.add("reason", reason)
        case .silent(let reason):
            line.add("state", "silent")
            line.add("reason", reason)
        }
        guard let figures = sight.figures else { return line.text }
        line.add("worker", figures.name)
        line.add("version", figures.version)
        self.add("partitions", figures.partitions, to: &line)
        self.add("lag", figures.lag, to: &line)
        self.add("backlog", figures.backlog, to: &line)
        self.add("in_flight", figures.inFlight, to: &line)
        self.add("parked", figures.parked, to: &line)
        self.add("oldest_parked_seconds", figures.oldestParked, to: &line)
        self.add("oldest_unfinished_seconds", figures.oldestUnfinished, to: &line)
        self.add("settled", figures.counters.settled, to: &line)
        self.add("calls", figures.counters.calls, to: &line)
        self.add("dead_letters", figures.counters.deadLetters, to: &line)
        line.addRaw("settled_per_second", self.number(sight.rates?.settled))
        line.addRaw("calls_per_second", self.number(sight.rates?.calls))
        line.addRaw("dead_letters_per_second", self.number(sight.rates?.deadLetters))
        line.addRaw("endpoints", self.list(figures.endpoints.map(self.endpoint)))
        line.addRaw("lanes", self.list(figures.lanes.map(self.lane)))
        return line.text
    }

    private static func endpoint(_ endpoint: WorkerFigures.Endpoint) -> String {
        var line = JSONLine()
        line.add("name", endpoint.name)
        line.add("breaker", endpoint.breaker.rawValue)
        return line.text
    }

    private static func lane(_ lane: WorkerFigures.Lane) -> String {
        var line = JSONLine()
        line.add("name", lane.name)
        line.add("held_because", lane.reason)
        self.add("waiting", lane.waiting, to: &line)
        return line.text
    }

    private static func add(_ name: String, _ number: Int?, to line: inout JSONLine) {
        line.add(name, number.map(Int64.init))
    }

    private static func number(_ value: Double?) -> String {
        value.map { "\(($0 * 100).rounded() / 100)" } ?? "null"
    }

    private static func list(_ members: [String]) -> String { "[\(members.joined(separator: ","))]" }
}
