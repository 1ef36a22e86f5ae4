import Records
import WireFormats

// Channels: topics to which a handler sends records of its own together with the outcomes. They are a part of
// the same publication, so they are there once the outcome is, and with exactly-once they are there once.
extension Engine {
    /// Returns the records for the channels of the handler, each as small as the broker takes it.
    func channelRecords(of id: EntryID, _ settlement: Settlement) -> [OutboundRecord] {
        guard !self.handler.channelTopics.isEmpty else { return [] }
        let outcome = self.outcome(of: id, settlement)
        let record = self.table[id].record
        let records = self.handling(id) {
            self.handler.channelRecords(record, outcome, settlement.answer)
        }
        return records.map { further in
            var further = further
            further.headers.append(RecordHeader(OutboundRecord.channelOriginHeader, outcome.id))
            if let timestamp = record.timestamp {
                further.headers.append(RecordHeader(OutboundRecord.channelTimeHeader, String(timestamp)))
            }
            if let trace = self.settleTrace(of: self.table[id]) { further.headers += trace.headers }
            while further.encodedBytesBound > self.settings.messageBytesLimit, further.leaveOutOfChannel() {}
            return further
        }
    }

    /// Replaces a record for a channel that is larger than the broker accepts by one that leaves more out.
    ///
    /// - Returns: False if there is nothing left to leave out.
    func shrinkChannelRecord(of id: EntryID, _ refused: OutboundRecord) -> Bool {
        var smaller = refused
        guard smaller.leaveOutOfChannel() else { return false }
        self.table.withPublication(of: id) { $0.shrink(to: smaller) }
        return true
    }

    /// Tells the handler that the outcome of a record has been acknowledged, if it wants to be told.
    func tellSettled(_ id: EntryID, _ settlement: Settlement) {
        guard let settled = self.handler.settled else { return }
        let outcome = self.outcome(of: id, settlement)
        self.handling(id) { settled(self.table[id].record, outcome) }
    }
}

extension OutboundRecord {
    /// The header of a record in a channel that names the input record: `topic/partition/offset`. A repeat after
    /// a crash has the same content.
    package static let channelOriginHeader = "channel.of"
    /// The header of a record in a channel with the timestamp of the input record, in milliseconds since 1970.
    package static let channelTimeHeader = "channel.timestamp_ms"
    /// The header of a record in a channel that goes without its value, with the number of its bytes.
    package static let channelValueOmittedHeader = "channel.value_omitted"

    /// Leaves out one more part of a record for a channel: its value, then its key and the headers of the
    /// handler.
    ///
    /// - Returns: False if there is nothing left to leave out.
    fileprivate mutating func leaveOutOfChannel() -> Bool {
        if let value = self.value {
            self.value = nil
            self.headers.append(RecordHeader(Self.channelValueOmittedHeader, String(value.count)))
            return true
        }
        let kept = self.headers.filter { $0.isNamed(startingWith: "channel.") }
        guard self.key != nil || kept.count < self.headers.count else { return false }
        self.key = nil
        self.headers = kept
        return true
    }
}
