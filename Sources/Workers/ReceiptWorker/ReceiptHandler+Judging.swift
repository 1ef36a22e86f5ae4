import WireFormats
import WorkerKit

// This file turns the known purchases into the answer.
extension ReceiptHandler {
    /// Returns an answer with this verdict and with the fields that repeat the record.
    func answer(_ verdict: ReceiptVerdict, to job: Job) -> Answer {
        var answer = Answer(verdict, job.header)
        answer.form = job.form
        answer.receiptDigest = job.digest
        return answer
    }

    /// Returns the judgement of purchases by the record's claim and the app's policy.
    func judgement(of purchases: StorePurchases, _ job: Job, _ attempt: Attempt) -> ReceiptJudgement {
        ReceiptJudgement(
            of: purchases,
            claimed: job.claim,
            by: self.app(of: job)?.policy ?? StorePolicy(),
            now: attempt.proven
        )
    }

    /// Checks purchases that are known to be real against the record's claim and the app's policy.
    ///
    /// - Returns: the answer; the reason, if the purchases are refused; and whether another answer of Apple
    ///   could lead to another verdict, because a purchase lacks a field that decides.
    func judged(_ purchases: StorePurchases, _ job: Job, at attempt: Attempt)
        -> (answer: Answer, refusal: Reason?, isLacking: Bool)
    {
        let judgement = self.judgement(of: purchases, job, attempt)
        var answer = self.answer(judgement.verdict, to: job)
        answer.check = judgement.check?.code
        answer.isFlagged = judgement.isFlagged
        // Purchases that belong, or may belong, to another app are not shown.
        if purchases.bundleID == job.claim.bundleID {
            answer.show(purchases, limit: self.settings.transactionsLimit, now: attempt.proven)
        }
        switch judgement.verdict {
        case .invalid where judgement.isOpen && purchases.isIncomplete:
            // The claimed purchase may be among the purchases that were not read.
            answer.verdict = .unavailable
            return (answer, .incomplete, false)
        case .invalid, .notOurs: return (answer, judgement.check, false)
        case .unavailable: return (answer, judgement.check, judgement.isLacking)
        case .valid, .expired, .refunded: return (answer, nil, false)
        }
    }
}
