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

    func judgement(of purchases: StorePurchases, _ job: Job, _ attempt: Attempt) -> ReceiptJudgement {
        ReceiptJudgement(
            of: purchases,
            claimed: job.claim,
            by: self.app(of: job)?.policy ?? StorePolicy(),
            now: attempt.now
        )
    }

    /// The checks that follow once a purchase is known to be real. With a refusal if they end in a no, and with
    /// `isLacking` if another answer of Apple's may end otherwise.
    func judged(_ purchases: StorePurchases, _ job: Job, _ attempt: Attempt)
        -> (answer: Answer, refusal: Reason?, isLacking: Bool)
    {
        let judgement = self.judgement(of: purchases, job, attempt)
        var answer = self.answer(judgement.verdict, to: job)
        answer.check = judgement.check?.code
        answer.isFlagged = judgement.isFlagged
        // Purchases that are, or may be, somebody else's are not shown.
        if purchases.bundleID == job.claim.bundleID {
            answer.show(purchases, limit: self.settings.transactionsLimit, now: attempt.now)
        }
        switch judgement.verdict {
        case .invalid where judgement.isOpen && purchases.isIncomplete:
            // What is claimed may be among what nobody has read.
            answer.verdict = .unavailable
            return (answer, .incomplete, false)
        case .invalid, .notOurs: return (answer, judgement.check, false)
        case .unavailable: return (answer, judgement.check, judgement.isLacking)
        case .valid, .expired, .refunded: return (answer, nil, false)
        }
    }
}
