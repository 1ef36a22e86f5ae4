import WireFormats
package import WorkerKit

/// The decision of an upstream about a record, as the result shows it: names and texts of the author's choice.
public typealias Answer = [String: String]

/// The decision of a worker about a record before any call.
public struct Plan<Job: Sendable>: Sendable {
    package let plan: WorkerKit.Plan<Job, Answer>

    /// The upstream has to be called.
    ///
    /// - Parameters:
    ///   - job: The value that `interpret` gets back.
    ///   - lane: The part of the upstream that shares one configuration, such as one account. A hold stops a lane
    ///     and leaves others alone. Lanes are labels of metrics: keep them few and without secrets.
    public static func call(_ request: Request, for job: Job, lane: String = "default") -> Plan {
        Plan(plan: .call(Call(request.http, for: job, lane: lane)))
    }

    /// The record is done without a call. Its outcome is `succeeded`.
    public static func answer(_ answer: Answer) -> Plan { Plan(plan: .answer(answer)) }

    /// A rule refuses the record for good, such as a value that a device chose. The outcome is `rejected`, and
    /// there is no dead letter.
    public static func refuse(_ reason: Reason, _ answer: Answer = [:]) -> Plan {
        Plan(plan: .refuse(reason.reason, answer))
    }

    /// The record is wrong, and its publisher or an operator can mend it. It becomes a dead letter.
    public static func reject(_ reason: Reason, as rejection: Rejection = .invalid) -> Plan {
        Plan(plan: .reject(rejection.rejection(because: reason)))
    }
}

/// The meaning of a call's end for the record.
public struct Verdict<Job: Sendable>: Sendable {
    package let verdict: WorkerKit.Verdict<Job, Answer>

    /// The upstream did what it was asked. The outcome is `succeeded`.
    public static func answer(_ answer: Answer) -> Verdict { Verdict(verdict: .answer(answer)) }

    /// The upstream refused the record for good. The outcome is `rejected`, and there is no dead letter.
    public static func refuse(_ reason: Reason, _ answer: Answer = [:]) -> Verdict {
        Verdict(verdict: .refuse(reason.reason, answer))
    }

    /// One more call is needed before anything is decided.
    public static func call(_ request: Request, for job: Job, lane: String = "default") -> Verdict {
        Verdict(verdict: .call(Call(request.http, for: job, lane: lane)))
    }

    /// The upstream failed; the record is tried again. An outage uses up no attempts of a record.
    ///
    /// - Parameters:
    ///   - wait: The least wait; the engine's own backoff if it is longer, or if this is nil.
    ///   - isForEverybody: Whether the upstream asks all callers to wait, as with `Retry-After`.
    public static func retry(
        _ reason: Reason,
        after wait: Duration? = nil,
        isForEverybody: Bool = false
    ) -> Verdict {
        let retry = Retry(reason.reason, blame: .upstream, after: wait, gatesUpstream: isForEverybody)
        return Verdict(verdict: .retry(retry))
    }

    /// The record may succeed later, and the fault is its own. After `worker.attempts` it becomes a dead letter.
    public static func retryRecord(_ reason: Reason, after wait: Duration? = nil) -> Verdict {
        Verdict(verdict: .retry(Retry(reason.reason, blame: .record, after: wait)))
    }

    /// The record can never succeed as it is. It becomes a dead letter.
    public static func reject(_ reason: Reason, as rejection: Rejection = .refused) -> Verdict {
        Verdict(verdict: .reject(rejection.rejection(because: reason)))
    }

    /// Our configuration is broken, such as a key that the upstream does not take. The lane stops, and its
    /// records wait, until a probe gets an answer.
    public static func hold(_ reason: Reason) -> Verdict {
        Verdict(verdict: .hold(reason.reason, scope: .lane))
    }
}

/// The class of a dead letter.
public enum Rejection: Hashable, Sendable {
    /// The bytes cannot be decoded. A replay cannot help.
    case undecodable
    /// A rule refuses what the record says. A replay can help after a change of the worker's settings.
    case invalid
    /// The upstream refuses the record. A replay can help once the cause is mended; if all records of a lane end
    /// so, the lane is held instead.
    case refused

    func rejection(because reason: Reason) -> WorkerKit.Rejection {
        switch self {
        case .undecodable:
            WorkerKit.Rejection(reason.reason, kind: .undecodable, replayable: .no)
        case .invalid:
            WorkerKit.Rejection(reason.reason, kind: .invalid, replayable: .afterFix)
        case .refused:
            WorkerKit.Rejection(
                reason.reason,
                kind: .rejected,
                replayable: .afterFix,
                suggestsConfigurationFault: true
            )
        }
    }
}
