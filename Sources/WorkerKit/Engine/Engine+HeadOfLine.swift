import Kafka
import Logging
import Records
import WireFormats

// One record that keeps failing while nearly everything behind it is done: soon its partition could not be read any
// further. It goes to a retry topic if there is one, and else to the dead letters. Never one whose lane is held, and
// never while the upstream is in doubt: then it is not this record that is at fault.
extension Engine {
    /// Once a second.
    func resolveHeadsOfLine() {
        guard self.settings.resolvesHeadOfLine, self.endpoints.areAllClosed, self.lanes.areAllWell else {
            return
        }
        for index in self.assignments.indices {
            guard let progress = self.assignments[index].progress, let head = HeadOfLine(of: progress) else {
                continue
            }
            let id = self.table.ids.first {
                self.table[$0].assignment == index && self.table[$0].offset == head.offset
            }
            if let id, self.table[id].state == .backingOff { self.resolve(id, head) }
        }
    }

    private func resolve(_ id: EntryID, _ head: HeadOfLine) {
        let entry = self.table[id]
        self.logger.warning(
            "one record holds up its partition",
            metadata: [
                "source": "\(entry.record.topic)/\(entry.record.partition)/\(entry.record.offset)",
                "done_behind_it": "\(head.finished)", "attempts": "\(entry.attempts)",
            ]
        )
        self.metrics.headOfLineResolved()
        if let shortest = self.settings.retryTiers.first, self.forward(id, waiting: shortest.delay) {
            return self.backingOff.keep { $0 != id }
        }
        let last = entry.lastReason.map { " Its last attempt ended with \($0.code)." } ?? ""
        let reason = Reason("head_of_line", "It held up \(head.finished) records that were done.\(last)")
        self.backingOff.keep { $0 != id }
        self.deadLetter(id, Rejection(reason, kind: .exhausted, replayable: .yes))
    }
}
