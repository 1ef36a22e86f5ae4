import WireFormats
import WorkerKit

// From what is known of a purchase to the answer about it.
extension ReceiptHandler {
    func answer(_ verdict: ReceiptVerdict, to job: Job) -> Answer {
        var answer = Answer(verdict, job.header)
        answer.form = job.form
        answer.receiptDigest = job.digest
        return answer
    }

    func judgement(
        of purchases: StorePurchases,
        _ job: Job,
        saidToBeExpired: Bool = false,
        _ attempt: Attempt
    ) -> ReceiptJudgement {
        ReceiptJudgement(
            of: purchases,
            claimed: job.claim,
            by: self.app(of: job)?.policy ?? StorePolicy(),
            saidToBeExpired: saidToBeExpired,
            now: attempt.now
        )
    }

    /// The checks that follow once a purchase is known to be real. With a refusal if they end in a no.
    func judged(_ purchases: StorePurchases, _ job: Job, saidToBeExpired: Bool = false, _ attempt: Attempt)
        -> (answer: Answer, refusal: Reason?)
    {
        let judgement = self.judgement(of: purchases, job, saidToBeExpired: saidToBeExpired, attempt)
        var answer = self.answer(judgement.verdict, to: job)
        answer.check = judgement.check?.code
        answer.isFlagged = judgement.isFlagged
        // What somebody else has bought is not shown.
        if judgement.verdict != .notOurs {
            answer.show(purchases, limit: self.settings.transactionsLimit, now: attempt.now)
        }
        switch judgement.verdict {
        case .invalid where judgement.isOpen && purchases.isIncomplete:
            // What is claimed may be among what nobody has read.
            answer.verdict = .unavailable
            return (answer, .incomplete)
        case .invalid, .notOurs: return (answer, judgement.check)
        case .valid, .expired, .refunded, .unavailable: return (answer, nil)
        }
    }
}
