import Harness
import Operations
import Records
import ServiceKit
import Terminal
import WireFormats
import WorkerKit

/// The check of all results of one worker.
struct Audit {
    let worker: WorkerIdentity
    /// The name of the worker's upstream for a person; nil if the worker calls no upstream.
    let upstream: String?
    /// The programs in a sentence about their end.
    var subject = "the worker"
    /// The names of the worker's own counters.
    var counters = WorkerCounters.records
    /// The published records with the results that were read during the demo.
    var register: Register
    /// The published records with the results of a second reading, from the beginning of the topics; nil
    /// before that.
    var second: Register?
    /// The worker's metrics; nil if they were not read.
    var metrics: MetricsPage?
    /// The upstream's counters.
    var answers = UpstreamAnswers()
    /// The worker's exit; nil if it was not stopped.
    var exit: DemoWorker.Exit?
    /// The events of the outage, if the upstream had one.
    var outage: Outage.Result?
    /// Whether only the demo can have published records. A result for any other record is then an objection.
    var isAlone = true
    /// The conditions about this worker's upstream alone.
    var ownClaims: [Claim] = []
    /// Explanations of numbers that might surprise a reader.
    var remarks: [String] = []

    init(_ worker: WorkerIdentity, calling upstream: String?, _ register: Register) {
        self.worker = worker
        self.upstream = upstream
        self.register = register
    }

    /// The conditions that must hold, each with the objections against it.
    var claims: [Claim] {
        let entries = self.register.entries
        let letters = entries.count { $0.sample.fate == .deadLettered }
        var claims = [
            Claim(
                text: "each of the \(entries.count) records has one outcome, the expected one",
                objections: Self.objections(in: entries, about: { $0.sample.fate != .deadLettered })
                    + self.oddities(in: self.register)
            ),
            Claim(
                text: self.textOfLetters(letters),
                objections: Self.objections(in: entries, about: { $0.sample.fate == .deadLettered })
            ),
            Claim(
                text: "read again from the beginning, both topics say the same",
                objections: self.secondObjections
            ),
        ]
        if let upstream { claims.append(self.claim(about: upstream)) }
        claims += self.ownClaims
        claims.append(Claim(text: "the worker's own counters agree", objections: self.metricsObjections))
        if let outage {
            let isAsItWas = outage.breakerOpened > 0 && outage.breakerClosed > 0
            claims.append(
                Claim(
                    text: "in the outage the circuit breaker opened, and closed again",
                    objections: isAsItWas ? [] : ["the circuit breaker did not open, or did not close again"]
                )
            )
        }
        claims.append(self.exitClaim)
        return claims
    }

    private func textOfLetters(_ letters: Int) -> String {
        let isPointer = self.register.entries.contains { $0.sample.letterLeavesOutTheValue }
        let subject = letters == 1 ? "the 1 dead letter" : "the \(letters) dead letters"
        return isPointer
            ? "\(subject) left out what may be personal, and outcomes name them"
            : "\(subject) hold their records untouched, and outcomes name them"
    }

    private static func objections(
        in entries: [Register.Entry],
        about isMeant: (Register.Entry) -> Bool
    ) -> [String] {
        entries.filter(isMeant).flatMap { entry in
            entry.objections.map { "\(entry.sample.title) (\(entry.place ?? "not in the topic")) \($0)" }
        }
    }

    private func oddities(in register: Register) -> [String] {
        let strangers = self.isAlone ? register.strangers : []
        return register.riddles.map { "\($0) cannot be understood" }
            + strangers.map { "something is said of \($0), which was not published here" }
    }

    private var secondObjections: [String] {
        guard let second else { return ["the topics were not read again"] }
        func all(_ register: Register) -> [String] {
            Self.objections(in: register.entries) { _ in true } + self.oddities(in: register)
        }
        let first = Set(all(self.register))
        return all(second).filter { !first.contains($0) }.map { "read again: \($0)" }
    }

    // MARK: - Calls

    /// The number of calls that must have reached the upstream. A record that may take more calls than its
    /// least number makes the further ones during an outage, where they do not reach the upstream.
    private var reaching: Int { self.register.entries.reduce(0) { $0 + $1.sample.calls.lowerBound } }

    private var accepted: Int { self.register.entries.reduce(0) { $0 + $1.sample.accepted } }

    private func claim(about upstream: String) -> Claim {
        var claim = Claim(
            text:
                "\(upstream) was called the \(self.reaching) times that were due, and accepted \(self.accepted)",
            objections: []
        )
        guard let tally = self.answers.tally else {
            claim.objections = ["\(upstream) was not asked for its counters"]
            return claim
        }
        if tally.requests != self.reaching {
            claim.objections.append(
                "\(upstream) was called \(tally.requests) times, not \(self.reaching)"
            )
        }
        if tally.accepted != self.accepted {
            claim.objections.append("\(upstream) accepted \(tally.accepted) calls, not \(self.accepted)")
        }
        return claim
    }

    /// The number of repeated attempts, according to the outcomes. Calls that follow another call at once are
    /// not repeats.
    var retries: Int {
        self.register.entries.reduce(0) { sum, entry in
            sum + max(0, (entry.outcome?.attempts ?? 0) - 1 - entry.sample.followUps)
        }
    }

    private var metricsObjections: [String] {
        guard let metrics else { return ["the worker was not asked for its counters"] }
        let entries = self.register.entries.filter { $0.sample.record.topic == self.worker.topic }
        var objections = Outcome.Fate.allCases.compactMap { fate -> String? in
            let expected = entries.count { $0.sample.fate == fate }
            let counted = self.counters.count(of: fate, on: metrics)
            return counted == expected
                ? nil : "the worker counts \(counted) \(fate.rawValue) instead of \(expected)"
        }
        let letters = self.counters.letters(on: metrics)
        let expected = entries.count { $0.sample.fate == .deadLettered }
        if letters != expected {
            objections.append("the worker counts \(letters) dead letters instead of \(expected)")
        }
        let retries = metrics.sum("worker_retries_total")
        if retries != self.retries {
            objections.append(
                "the worker counts \(retries) retries, and the outcomes tell of \(self.retries)"
            )
        }
        return objections
    }

    private var exitClaim: Claim {
        guard let exit else {
            return Claim(
                text: "\(self.subject) ended with 0 after SIGTERM",
                objections: ["\(self.subject) did not get SIGTERM"]
            )
        }
        return Claim(
            text: "\(self.subject) drained and ended with 0, \(exit.took.shown) after SIGTERM",
            objections: exit.exit == .code(0) ? [] : ["\(self.subject) ended with \(exit.exit) after SIGTERM"]
        )
    }
}
