import Kafka
import Logging
import Records
import ServiceKit
import WireFormats

// A record that keeps failing while nearly everything behind it is done holds up its partition: soon no
// further record could be read from it. Such a record is sent to the retry topic with the shortest wait, or
// to the dead letters if there is no retry topic that takes it.
//
// This is done only while every circuit breaker is closed and no lane is in doubt. Otherwise the record may
// not be at fault.
extension Engine {
    /// Looks for such records and sends them elsewhere. The sweep calls this once a second.
    func resolveHeadsOfLine() {
        guard self.settings.resolvesHeadOfLine, self.dispatch.gates.endpoints.areAllClosed,
            self.dispatch.gates.lanes.areAllWell
        else { return }
        for index in self.assignments.indices {
            guard let progress = self.assignments[index].progress, let head = HeadOfLine(of: progress) else {
                continue
            }
            let id = self.table.ids.first {
                self.table[$0].assignment == index && self.table[$0].offset == head.offset
            }
            if let id, self.table.kind(of: id) == .backingOff { self.resolve(id, head) }
        }
    }

    private func resolve(_ id: EntryID, _ head: HeadOfLine) {
        let entry = self.table[id]
        self.logger.warning(
            "one record holds up its partition",
            metadata: self.traced(
                id,
                [
                    "source": "\(entry.record.topic)/\(entry.record.partition)/\(entry.record.offset)",
                    "done_behind_it": "\(head.finished)", "attempts": "\(entry.attempts)",
                ]
            )
        )
        self.metrics.headOfLineResolved()
        if self.isDelayed(id) { return self.putAside(id, head) }
        if let shortest = self.settings.retryTiers.first, self.forward(id, waiting: shortest.delay) {
            return self.dispatch.queues.remove(from: .backingOff) { $0 == id }
        }
        self.dispatch.queues.remove(from: .backingOff) { $0 == id }
        self.giveUp(
            id,
            head,
            because: entry.lastReason.map { " Its last attempt ended with \($0.code)." } ?? ""
        )
    }

    /// Parks a record that its publisher has delayed, or gives it up where there is no parking topic for it.
    private func putAside(_ id: EntryID, _ head: HeadOfLine) {
        let due = self.dispatch.queues.backingOff.elements.first { $0.element == id }?.due ?? .min
        self.dispatch.queues.remove(from: .backingOff) { $0 == id }
        guard self.canPark(in: self.table[id].assignment) else {
            return self.giveUp(id, head, because: " Its publisher has delayed it.")
        }
        self.parkWithFollowers(id, in: .any, notBefore: due)
    }

    private func giveUp(_ id: EntryID, _ head: HeadOfLine, because more: String) {
        let reason = Reason("head_of_line", "It held up \(head.finished) records that were done.\(more)")
        self.deadLetter(id, Rejection(reason, kind: .exhausted, replayable: .yes))
    }
}
