/// Decides which fault strikes a request to the GDT simulator: the script in its click id decides first, then
/// the faults that are set.
package struct FaultDirector: Sendable {
    /// A fault that is set, with the rest of its dose.
    private struct ArmedFault {
        let misbehaviour: Misbehaviour
        let selector: Faults.WrongRet?
        var dose: ArmedDose

        init(_ misbehaviour: Misbehaviour, selector: Faults.WrongRet? = nil, _ dose: Dose?, now: Int64) {
            self.misbehaviour = misbehaviour
            self.selector = selector
            self.dose = ArmedDose(dose ?? .always, now: now)
        }
    }

    /// The greatest latency and the greatest jitter, in milliseconds: one hour each, so that no setting can
    /// overflow a timer.
    private static let longestDelay = 3_600_000

    private var dice: Dice
    private let followsScripts: Bool
    private var latency: Faults.Latency?
    private var armed: [ArmedFault] = []
    /// The number of requests so far for each report with a script.
    private var seen: [GDTReport: Int] = [:]

    /// Creates a director without faults. With `scriptedByClickID`, scripts in click ids are followed.
    package init(seed: UInt64, scriptedByClickID: Bool) {
        self.dice = Dice(seed: seed)
        self.followsScripts = scriptedByClickID
    }

    /// Replaces all faults. Their times and counts start now; the random sequence and the scripts continue.
    package mutating func set(_ faults: Faults, now: Int64) {
        self.latency = faults.latency
        self.armed = []
        if let dose = faults.hang {
            self.armed.append(ArmedFault(.hang, dose, now: now))
        }
        if let dose = faults.cutBefore {
            self.armed.append(ArmedFault(.cutBefore, dose, now: now))
        }
        if let error = faults.serverError {
            let status = Self.plausible(error.status ?? 503, else: 503)
            self.armed.append(ArmedFault(.status(status, retryAfterSeconds: nil), error.when, now: now))
        }
        if let throttle = faults.throttle {
            let status = Self.plausible(throttle.status ?? 429, else: 429)
            let answer = Misbehaviour.status(status, retryAfterSeconds: throttle.retryAfterSeconds)
            self.armed.append(ArmedFault(answer, throttle.when, now: now))
        }
        if let dose = faults.proxyPage {
            self.armed.append(ArmedFault(.proxyPage, dose, now: now))
        }
        for wrong in faults.wrongRets ?? [] {
            let answer = Misbehaviour.ret(GDTRet(rawValue: wrong.ret))
            self.armed.append(ArmedFault(answer, selector: wrong, wrong.when, now: now))
        }
        if let dose = faults.truncated {
            self.armed.append(ArmedFault(.truncate, dose, now: now))
        }
        if let dose = faults.cutAfter {
            self.armed.append(ArmedFault(.cutAfter, dose, now: now))
        }
    }

    /// Decides the treatment of one request, and reduces the doses that were used. `now` is in Unix
    /// milliseconds.
    package mutating func course(for judgement: GDTJudgement, now: Int64) -> Course {
        var course = Course(ret: judgement.ret)
        if let latency {
            let jitter = min(max(latency.jitterMilliseconds ?? 0, 0), Self.longestDelay)
            let extra = jitter == 0 ? 0 : Int.random(in: 0...jitter, using: &self.dice)
            course.delayMilliseconds = min(max(latency.milliseconds, 0), Self.longestDelay) + extra
        }
        if let step = self.scriptedStep(for: judgement, course: &course) {
            course.misbehaviour = step.misbehaviour
            course.delayMilliseconds = min(
                course.delayMilliseconds + step.delayMilliseconds,
                Self.longestDelay
            )
        } else {
            course.misbehaviour = self.switchedMisbehaviour(for: judgement, now: now)
        }
        if case .ret(let ret) = course.misbehaviour {
            course.ret = ret
        }
        return course
    }

    private mutating func scriptedStep(
        for judgement: GDTJudgement,
        course: inout Course
    ) -> ClickScript.Step? {
        guard self.followsScripts, let report = judgement.report,
            ClickScript.isAskedFor(by: report.clickID)
        else { return nil }
        guard let script = ClickScript(clickID: report.clickID) else {
            course.script = .unread
            return nil
        }
        let earlier = self.seen[report, default: 0]
        self.seen[report] = earlier + 1
        guard let step = script.step(after: earlier) else { return nil }
        course.script = .followed
        return step
    }

    private mutating func switchedMisbehaviour(for judgement: GDTJudgement, now: Int64) -> Misbehaviour? {
        for index in self.armed.indices {
            if let selector = self.armed[index].selector, !selector.selects(judgement.report) { continue }
            if self.armed[index].dose.strikes(now: now, dice: &self.dice) {
                return self.armed[index].misbehaviour
            }
        }
        return nil
    }

    /// Replaces an HTTP status outside of 200 to 599 by `substitute`, because such a status would break the
    /// connection instead of answering the request.
    private static func plausible(_ status: Int, else substitute: Int) -> Int {
        (200...599).contains(status) ? status : substitute
    }
}
