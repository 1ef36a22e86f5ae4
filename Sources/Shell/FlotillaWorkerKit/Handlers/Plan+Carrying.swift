import WorkerKit

// Plans and verdicts with another job in their calls.
extension WorkerKit.Plan {
    /// Returns the plan with another call in place of its call, if it is one.
    func carrying<Other: Sendable, Fault: Error>(
        _ change: (Call<Job>) throws(Fault) -> Call<Other>
    ) throws(Fault) -> WorkerKit.Plan<Other, Answer> {
        switch self {
        case .call(let call): .call(try change(call))
        case .answer(let answer): .answer(answer)
        case .refuse(let reason, let answer): .refuse(reason, answer)
        case .reject(let rejection): .reject(rejection)
        }
    }
}

extension WorkerKit.Verdict {
    /// Returns the verdict with another call in place of its call, if it is one.
    func carrying<Other: Sendable, Fault: Error>(
        _ change: (Call<Job>) throws(Fault) -> Call<Other>
    ) throws(Fault) -> WorkerKit.Verdict<Other, Answer> {
        switch self {
        case .call(let call): .call(try change(call))
        case .answer(let answer): .answer(answer)
        case .refuse(let reason, let answer): .refuse(reason, answer)
        case .refuseInDoubt(let reason, let answer): .refuseInDoubt(reason, answer)
        case .retry(let retry): .retry(retry)
        case .giveUp(let retry, let answer): .giveUp(retry, answer)
        case .reject(let rejection): .reject(rejection)
        case .hold(let reason, let scope): .hold(reason, scope: scope)
        }
    }
}
