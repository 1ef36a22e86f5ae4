package import ServiceKit
package import UpstreamHTTP
package import WireFormats

/// The decision of a handler about a record before any call.
package enum Plan<Job: Sendable, Answer: Sendable>: Sendable {
    /// The upstream has to be called.
    case call(Call<Job>)
    /// The record is settled without a call.
    case answer(Answer)
    /// A rule of our own rejects the record for good, for example because of a value that a device chose. The
    /// outcome is `rejected`, and there is no dead letter.
    case refuse(Reason, Answer?)
    /// The record is wrong, or wrong for our configuration. It becomes a dead letter.
    case reject(Rejection)
}

/// The meaning of an exchange with the upstream for a record. Every record ends in exactly one way.
package enum Verdict<Job: Sendable, Answer: Sendable>: Sendable {
    /// The upstream has decided, and did what it was asked.
    case answer(Answer)
    /// The upstream has decided against the record. The outcome is `rejected`, and there is no dead letter.
    case refuse(Reason, Answer?)
    /// The upstream has decided against the record for a reason that our configuration would explain too. The
    /// outcome is as with `refuse`, but a run of such refusals on one lane holds the lane, as
    /// `Rejection.suggestsConfigurationFault` says.
    case refuseInDoubt(Reason, Answer?)
    /// One more call is needed before anything is decided.
    case call(Call<Job>)
    /// The record may succeed later.
    case retry(Retry)
    /// The call has failed as with `retry`, and a later try would be too late for this record. The outcome is
    /// `rejected`, and there is no dead letter. The failure counts for the upstream's health as with `retry`,
    /// and the record does not wait.
    case giveUp(Retry, Answer?)
    /// The record can never succeed as it is. It becomes a dead letter.
    case reject(Rejection)
    /// Our configuration, or the whole upstream, is broken. No call is made in that scope but a rare probe,
    /// and no record of it is lost, settled or dead-lettered until a probe gets an answer. A record that goes
    /// on asking for the hold while the scope answers others waits by itself.
    case hold(Reason, scope: HoldScope)
}

/// A request that is to be made for a job, or the job's part of a request.
package struct Call<Job: Sendable>: Sendable {
    /// The thing that is sent for a call.
    package enum Content: Sendable {
        /// A request of its own.
        case request(HTTPRequest)
        /// A part, which shares its request with others.
        case part(BatchPart)
    }

    /// The request, or the part of one.
    package var content: Content
    /// The value that `interpret` gets back with the answer.
    package var job: Job
    /// The part of the upstream that shares one configuration, such as one account. A hold stops a lane and
    /// leaves the others alone. The lane is a label in logs and metrics, so it holds no secret and no
    /// personal data.
    package var lane: String
    /// The endpoint that is called, as an index of the handler's `endpoints`.
    package var endpoint: Int
    /// Whether the call is good for now only, for example because it carries a time. If a follow-up call of
    /// this kind cannot be made at once, the record is planned anew instead.
    package var isPerishable: Bool
    /// Whether a repeat of the call does no harm at the upstream, nor to the answer. Such a call may be cut short while
    /// it hangs and other records wait for its slot.
    package var isRepeatable: Bool
    /// Whether the call asks once more what has just been refused, for a reason that our configuration may
    /// explain. Then that refusal does not count as a good answer of the lane.
    package var isSecondTry: Bool

    package init(
        _ request: HTTPRequest,
        for job: Job,
        lane: String,
        endpoint: Int = 0,
        isPerishable: Bool = false,
        isSecondTry: Bool = false,
        isRepeatable: Bool = false
    ) {
        self.init(
            .request(request),
            for: job,
            lane: lane,
            endpoint: endpoint,
            isPerishable: isPerishable,
            isSecondTry: isSecondTry,
            isRepeatable: isRepeatable
        )
    }

    package init(
        _ content: Content,
        for job: Job,
        lane: String,
        endpoint: Int = 0,
        isPerishable: Bool = false,
        isSecondTry: Bool = false,
        isRepeatable: Bool = false
    ) {
        self.content = content
        self.job = job
        self.lane = lane
        self.endpoint = endpoint
        self.isPerishable = isPerishable
        self.isSecondTry = isSecondTry
        self.isRepeatable = isRepeatable
    }

    /// The request; for a part, as it would be if it was sent alone.
    package var request: HTTPRequest {
        switch self.content {
        case .request(let request): request
        case .part(let part): part.alone
        }
    }

    /// Returns the same call for another job.
    package func with<Other: Sendable>(_ job: Other) -> Call<Other> {
        let content: Call<Other>.Content =
            switch self.content {
            case .request(let request): .request(request)
            case .part(let part): .part(part)
            }
        return Call<Other>(
            content,
            for: job,
            lane: self.lane,
            endpoint: self.endpoint,
            isPerishable: self.isPerishable,
            isSecondTry: self.isSecondTry,
            isRepeatable: self.isRepeatable
        )
    }
}

/// A failure after which a record is tried again.
package struct Retry: Hashable, Sendable {
    /// The party at fault for the failure.
    ///
    /// A failure of the record counts towards its maximum of attempts. A failure of the upstream counts
    /// towards the circuit breaker. It counts against the record only if nearly all other records got an
    /// answer there meanwhile (`BlameEvidence`), and never if the upstream asked everybody to wait. So
    /// neither an outage nor an upstream that fails now and then makes a dead letter.
    package enum Blame: Hashable, Sendable {
        case record
        case upstream
    }

    /// The code and the text of the failure.
    package var reason: Reason
    /// The party at fault.
    package var blame: Blame
    /// The least wait before the next try. The engine's own backoff applies if it is longer, or if this is
    /// nil.
    package var after: Duration?
    /// Whether the endpoint asked everybody to wait (`Retry-After`). If so, it is not called at all before
    /// `after` or the engine's `longestGate` has passed, whichever is shorter, and then with one probe.
    package var gatesUpstream: Bool
    /// Whether only the call's lane has to wait, such as an account that has used up its requests, or has no token
    /// yet. The lane is then held without suspicion until `after` or an hour has passed, whichever is shorter, and then
    /// probed by one call. The record waits in it, and nothing counts against the record or the upstream.
    package var gatesLane = false

    package init(_ reason: Reason, blame: Blame, after: Duration? = nil, gatesUpstream: Bool = false) {
        self.reason = reason
        self.blame = blame
        self.after = after
        self.gatesUpstream = gatesUpstream
    }

    /// Makes a failure after which the whole lane waits.
    package static func lane(_ reason: Reason, after: Duration) -> Retry {
        var retry = Retry(reason, blame: .upstream, after: after)
        retry.gatesLane = true
        return retry
    }
}

/// The reason why a record becomes a dead letter.
package struct Rejection: Hashable, Sendable {
    /// The code and the text that the dead letter carries.
    package var reason: Reason
    /// The class of the dead letter.
    package var kind: DeadLetter.Class
    /// Whether publishing the record again can help.
    package var replayable: DeadLetter.Replayable
    /// Whether a fault of our configuration would explain the rejection. A run of such rejections on one
    /// lane, with no success between them, is taken for such a fault: the lane is held instead of being
    /// emptied into the dead letters.
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

/// The part of the upstream that a hold stops.
package enum HoldScope: Hashable, Sendable {
    case lane
    case upstream
}
