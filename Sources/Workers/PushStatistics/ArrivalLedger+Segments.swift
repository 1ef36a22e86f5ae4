import ServiceKit
import WireFormats

extension ArrivalLedger {
    /// Counts an event in the segments that it names, if it was counted in its message.
    ///
    /// The day is that of the sending as the sender has told it, whatever the event says, so that a sending and its
    /// arrival are counted in the same statistics. Anybody who
    /// has an app can invent devices, messages and names. So an event counts only if a sender has reported that its push
    /// was sent to its device, and only a sender begins a segment. Kinds that the device reported before its `sent` count
    /// when that comes, in the segments that the `sent` names.
    func countSegments(of event: PushEvent, _ judgement: Judgement, now: Int64) {
        guard judgement.standing == .accepted, !event.messageID.isEmpty, let sent = judgement.sentToDevice,
            !self.isTooOld(event, sentAt: sent)
        else { return }
        for dimension in PushSegments.Dimension.allCases {
            let name = event.segments.segment(by: dimension)
            guard !name.isEmpty,
                let cohort = self.cohort(of: name, by: dimension, event, sentAt: sent, now: now),
                !cohort.isClosed
            else { continue }
            for kind in [event.kind] + judgement.earlierKinds { cohort.count(kind, by: event, sentAt: sent) }
            self.note(cohort, now: now)
        }
    }

    /// Whether the sending is so long ago that the statistics of its day may have been forgotten. If it began new ones,
    /// they would replace those that were published.
    private func isTooOld(_ event: PushEvent, sentAt sent: Int64) -> Bool {
        PushTime.isLate(event, sentMS: sent, allowedMS: self.rules.allowedLateness.wholeMilliseconds)
    }

    /// Returns the cohort of a segment; of `other`, if senders have named more segments than are counted apart; nil if no
    /// sender has named the segment.
    private func cohort(
        of name: String,
        by dimension: PushSegments.Dimension,
        _ event: PushEvent,
        sentAt sent: Int64,
        now: Int64
    ) -> Cohort? {
        let app = CohortKey(of: event)
        let key = CohortKey(ofAppOf: app, segment: name, by: dimension, sentAt: sent)
        if let cohort = self.known(key) { return cohort }
        if event.kind == .sent, !self.segmentCounts.areFull(key, limit: dimension.segmentsLimit) {
            return self.begin(key, at: event.serverMS, now: now)
        }
        let other = CohortKey(ofAppOf: app, segment: PushSegments.other, by: dimension, sentAt: sent)
        if let cohort = self.known(other) { return cohort }
        return event.kind == .sent ? self.begin(other, at: event.serverMS, now: now) : nil
    }
}

extension PushSegments.Dimension {
    /// The greatest number of segments that are counted apart in one day: all countries, and fifty of any other kind.
    fileprivate var segmentsLimit: Int { self == .country ? 256 : 50 }
}
