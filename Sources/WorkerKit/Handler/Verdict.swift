package import UpstreamHTTP
package import WireFormats

/// What a handler wants done with a decoded record.
package enum Plan<Job: Sendable, Answer: Sendable>: Sendable {
    case call(Call<Job>)
    /// Settled without a call.
    case answer(Answer)
    /// Our own rule says a final no, as about what a device chose: the outcome is `rejected`, no dead letter.
    case refuse(Reason, Answer?)
    /// The record is wrong, or wrong for our configuration: a dead letter.
    case reject(Rejection)
}

/// What an exchange with the upstream means for a record. Every record ends in exactly one way.
package enum Verdict<Job: Sendable, Answer: Sendable>: Sendable {
    /// The upstream has decided, and did what it was asked.
    case answer(Answer)
    /// The upstream has decided against the record: the outcome is `rejected`, no dead letter.
    case refuse(Reason, Answer?)
    /// One more call is needed before anything is decided.
    case call(Call<Job>)
    /// May succeed later.
    case retry(Retry)
    /// The same failure, and later is too late for this record: the outcome is `rejected`, no dead letter. It counts
    /// for the upstream's health as the retry would have, and nobody waits.
    case giveUp(Retry, Answer?)
    /// Can never succeed as it is: a dead letter.
    case reject(Rejection)
    /// Our configuration, or the whole upstream, is broken: nothing of that scope is called but a rare probe,
    /// and nothing of it is lost, settled or dead-lettered until a probe gets an answer. A record that goes on
    /// asking for it while the scope answers others waits by itself.
    case hold(Reason, scope: HoldScope)
}

/// A request to make for a job.
package struct Call<Job: Sendable>: Sendable {
    package var request: HTTPRequest
    package var job: Job
    /// The part of the upstream that shares one configuration, such as one account. A hold stops a lane and
    /// leaves the others alone. Holds no secret and no personal data: it is a label in logs and metrics.
    package var lane: String
    /// Whom it asks: the position in the handler's `endpoints`.
    package var endpoint: Int
    /// Good for now only, such as for a time that it carries. Where it cannot be made at once, the record is planned
    /// anew instead.
    package var isPerishable: Bool
    /// Asks once more what has just been refused, for a reason that our configuration may explain: that refusal does
    /// not speak for the lane.
    package var isSecondTry: Bool

    package init(
        _ request: HTTPRequest,
        for job: Job,
        lane: String,
        endpoint: Int = 0,
        isPerishable: Bool = false,
        isSecondTry: Bool = false
    ) {
        self.request = request
        self.job = job
        self.lane = lane
        self.endpoint = endpoint
        self.isPerishable = isPerishable
        self.isSecondTry = isSecondTry
    }
}

package struct Retry: Hashable, Sendable {
    /// Whose fault the failure is taken to be. The record's counts towards its maximum of attempts. The
    /// upstream's counts towards the circuit breaker, and against the record only if nearly all other records
    /// got an answer there meanwhile (`BlameEvidence`), and never if it asked everybody to wait: neither an outage nor
    /// an upstream that fails now and then makes a dead letter.
    package enum Blame: Hashable, Sendable {
        case record
        case upstream
    }

    package var reason: Reason
    package var blame: Blame
    /// Not before this long from now; the engine's own backoff applies when it is longer, or when this is nil.
    package var after: Duration?
    /// The endpoint asked everybody to wait (`Retry-After`): it is not called at all before `after` or the engine's
    /// `longestGate` has passed, whichever is shorter, and then with one probe.
    package var gatesUpstream: Bool

    package init(_ reason: Reason, blame: Blame, after: Duration? = nil, gatesUpstream: Bool = false) {
        self.reason = reason
        self.blame = blame
        self.after = after
        self.gatesUpstream = gatesUpstream
    }
}

package struct Rejection: Hashable, Sendable {
    package var reason: Reason
    package var kind: DeadLetter.Class
    /// Whether publishing the record again can help.
    package var replayable: DeadLetter.Replayable
    /// A run of these on one lane, with no success between, is taken for a fault of our configuration, and the
    /// lane is held instead of emptied into the dead letters.
    package var suggestsConfigurationFault: Bool

    package init(
        _ reason: Reason,
        kind: DeadLetter.Class,
        replayable: DeadLetter.Replayable,
        suggestsConfigurationFault: Bool = false
    ) {
        self.reason = reason
        self.kind = kind
        self.replayable = replayable
        self.suggestsConfigurationFault = suggestsConfigurationFault
    }
}

package enum HoldScope: Hashable, Sendable {
    case lane
    case upstream
}
