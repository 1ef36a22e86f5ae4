import Logging
import Records
import ServiceKit
import UpstreamHTTP
import WireFormats

// The log of single calls, which an operator asks for by `fleet admin call-log`.
extension Engine {
    /// Logs a call that has ended, if an operator wants to see it: where its record stands, its answer and the verdict.
    /// The line has nothing of the request, and of the answer the status and the number of bytes.
    func logIfWanted(
        _ call: CallInFlight,
        of id: EntryID,
        answered exchange: Exchange,
        with verdict: ErasedHandler.AnyVerdict
    ) {
        guard self.callLog.takes(call) else { return }
        var metadata = self.metadata(of: call.endpoint)
        let record = self.table[id].record
        metadata["lane"] = "\(Self.shown(call.lane))"
        metadata["source"] = "\(record.topic)/\(record.partition)/\(record.offset)"
        metadata["attempt"] = "\(call.attempt)"
        metadata["milliseconds"] = "\((self.now.monotonic - call.began) / 1_000_000)"
        switch exchange {
        case .response(let response):
            metadata["answer"] = "\(response.status)"
            metadata["bytes"] = "\(response.body.count)"
        case .failure(let error): metadata["answer"] = "\(error.kind.rawValue)"
        case .ambiguous(let error): metadata["answer"] = "\(error.kind.rawValue), perhaps sent"
        }
        let (word, reason) = verdict.summary
        metadata["verdict"] = "\(word)"
        if let reason { metadata["reason"] = "\(reason.code)" }
        self.logger.notice("call", metadata: self.traced(id, metadata))
    }
}

extension ErasedHandler.AnyVerdict {
    /// The verdict in a word, and its reason if it has one.
    fileprivate var summary: (word: String, reason: Reason?) {
        switch self {
        case .answer: ("answer", nil)
        case .call: ("call", nil)
        case .refuse(let reason, _), .refuseInDoubt(let reason, _): ("refuse", reason)
        case .giveUp(let retry, _): ("give up", retry.reason)
        case .retry(let retry): ("retry", retry.reason)
        case .reject(let rejection): ("reject", rejection.reason)
        case .hold(let reason, _): ("hold", reason)
        }
    }
}
