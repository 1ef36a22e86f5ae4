import Records
import ServiceKit
import WireFormats

// The outcome record of a settled record, and smaller forms of it. An outcome that is too large for the
// broker would stop its partition, and with exactly-once the whole worker.
extension Engine {
    /// Returns the outcome record, as much of it as fits into the limit. `settlement` then says what was left
    /// out.
    ///
    /// The key is left out first if it is longer than the value; otherwise the answer is made smaller first.
    /// An answer has smaller forms if its handler knows some (`Handler.smaller`). An outcome without key and
    /// answer is bounded, and fits any limit that a topic has in practice.
    func outcomeRecord(
        of id: EntryID,
        _ settlement: inout Settlement,
        bytesLimit: Int
    ) -> OutboundRecord {
        var record = self.outcomeRecord(of: id, settlement)
        while record.encodedBytesBound > bytesLimit, self.leaveOut(of: record, &settlement, for: id) {
            record = self.outcomeRecord(of: id, settlement)
        }
        return record
    }

    /// Leaves out one more part of an outcome.
    ///
    /// - Returns: False if there is nothing left to leave out.
    func leaveOut(of record: OutboundRecord, _ settlement: inout Settlement, for id: EntryID) -> Bool {
        // A CloudEvent around the outcome does not count, because a smaller answer does not make it smaller.
        let valueBytes = self.encode(settlement, for: id).count
        if let key = record.key, settlement.answer == nil || key.count > valueBytes {
            settlement.omittedKeyBytes = key.count
            return true
        }
        guard let answer = settlement.answer else { return false }
        settlement.answer = self.handling(id) { self.handler.smaller(answer) }
        // A form that is not smaller would make the caller repeat this without end.
        if settlement.answer != nil, self.encode(settlement, for: id).count >= valueBytes {
            settlement.answer = nil
        }
        if settlement.answer == nil { settlement.omittedAnswerBytes = valueBytes }
        return true
    }

    private func outcomeRecord(of id: EntryID, _ settlement: Settlement) -> OutboundRecord {
        var value = self.encode(settlement, for: id)
        if let frame = self.outcomeFrame { value.insert(contentsOf: frame, at: 0) }
        var record = self.table.withEntry(id) { entry in
            OutboundRecord(
                topic: self.settings.resultTopic,
                key: settlement.omittedKeyBytes == nil ? entry.record.key : nil,
                value: value,
                headers: self.headers(of: entry, settlement),
                // The partition follows from the input partition, so that the outcomes of one input partition
                // stay together and in order, whatever partitioner the publisher uses.
                partition: entry.record.partition % Int32(max(1, self.facts.resultPartitions))
            )
        }
        let envelope = self.settings.resultEnvelope
        if envelope != .none {
            record.wrap(in: envelope, of: self.outcome(of: id, settlement), as: self.settings.resultFormat)
        }
        return record
    }

    private func encode(_ settlement: Settlement, for id: EntryID) -> [UInt8] {
        let outcome = self.outcome(of: id, settlement)
        let format = self.settings.resultFormat
        return self.handling(id) { self.handler.encode(outcome, settlement.answer, format) }
    }

    func outcome(of id: EntryID, _ settlement: Settlement) -> Outcome {
        self.table.withEntry(id) { entry in
            Outcome(
                topic: entry.record.topic,
                partition: entry.record.partition,
                offset: entry.record.offset,
                fate: settlement.fate,
                reason: settlement.reason,
                attempts: entry.attempts,
                deadLetterID: settlement.death?.letter,
                receivedAt: entry.receivedAt,
                settledAt: self.now.wall,
                worker: self.settings.worker,
                workerVersion: self.settings.workerVersion
            )
        }
    }

    /// Returns the members of a record that its schema does not have, and counts the record if it has some.
    func unknownFields(of id: EntryID) -> UnknownFields? {
        let found = self.handling(id) { self.handler.unknownFields(self.table[id].record) }
        if found != nil { self.metrics.unknownFieldsFound() }
        return found
    }

    private func headers(of entry: Entry, _ settlement: Settlement) -> [RecordHeader] {
        var headers = self.outcomeHeaders
        if let trace = self.settleTrace(of: entry) { headers += trace.headers }
        // The dead-letter tool needs this header to find how each replayed letter ended.
        if let replay = entry.record.replayHeader { headers.append(replay) }
        // A reader finds the record of the publisher by them, where a worker before this one made the record.
        headers += entry.record.originHeaders
        headers += entry.record.publisherHeaders
        if let unknown = settlement.unknownFields { headers.append(unknown.recordHeader) }
        if let bytes = settlement.omittedKeyBytes {
            headers.append(RecordHeader(OutboundRecord.keyOmittedHeader, String(bytes)))
        }
        if let bytes = settlement.omittedAnswerBytes {
            headers.append(RecordHeader("outcome.answer_omitted", String(bytes)))
        }
        return headers
    }
}
