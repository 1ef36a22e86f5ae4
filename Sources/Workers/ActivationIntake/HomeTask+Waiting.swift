import Kafka
import Records
import ServiceKit
import StreamKit
import WireFormats

// Activations whose click may not have been read yet.
extension HomeTask {
    /// Whether a record has waited for long before it was read: after an outage of the intake, for example. Then clicks
    /// that are as old may not have been read yet.
    func isOfABacklog(_ record: borrowing InboundRecord, at now: Moment) -> Bool {
        guard let timestamp = record.timestamp else { return false }
        return now.wall.subtractingClamped(timestamp) > Self.usualLag
    }

    /// The longest time in milliseconds from the publication of a record until its home reads it, while nothing is amiss.
    private static var usualLag: Int64 { 10_000 }

    /// Lets an activation wait for its click, or for the last of its clicks.
    ///
    /// - Returns: false if it is decided now, because it has waited, is not to wait, or is too large for the
    ///   changelog.
    func letWait(
        _ record: borrowing InboundRecord,
        _ activation: Activation,
        at now: Moment,
        to output: StreamOutput
    ) -> Bool {
        guard self.settings.clickPatience > .zero, record.header(HomeRecord.lateHeader) == nil else {
            return false
        }
        let waiting = WaitingActivations.Waiting(
            record: copy record,
            device: Array(HomeRecord.Name.device(activation.muidText).utf8),
            since: now.wall
        )
        let (value, headers) = waiting.changelog
        let written = OutboundRecord(
            topic: self.settings.topics.changelog,
            key: waiting.key.bytes,
            value: value,
            headers: headers + [self.writer.spread.recordHeader],
            timestamp: record.timestamp
        )
        guard self.writer.hasRoom(for: written) else { return false }
        self.metrics.counted("activation", "waiting")
        self.write(waiting.key, value, headers: headers, timestamp: record.timestamp, to: output)
        if let first = self.waiting.add(waiting) { self.decide(first, at: now, to: output) }
        self.makeRoom(for: waiting.byteCount, at: now, to: output)
        return true
    }

    func restore(waiting key: RememberedKey, _ record: borrowing InboundRecord) {
        let waiting = WaitingActivations.Waiting(changelog: record, of: self.settings.topics.home)
        if let waiting, waiting.key == key {
            // Within a home no more wait than could wait when this was written.
            _ = self.waiting.add(waiting)
        } else {
            self.waiting.remove(key.key)
        }
    }

    /// Judges the activations that a click has released. The others of its device wait on.
    ///
    /// - Parameter name: The key of the click's home: that of the device, or that of the click's own id.
    func release(of name: [UInt8], at now: Moment, to output: StreamOutput) {
        for waiting in self.waiting.all(of: name) {
            guard let activation = try? Activation(decoding: waiting.record),
                self.click(of: activation, waiting.record, at: now) != nil
            else { continue }
            self.waiting.remove(waiting.key.key)
            self.write(waiting.key, nil, to: output)
            self.judge(waiting.record, mayWait: false, at: now, to: output)
        }
    }

    /// The most activations that are decided before one transaction ends. After an outage all that have waited are due
    /// at once, and their outcomes take memory until they are sent.
    static var decisionsLimit: Int { 1_000 }

    /// Decides about activations that have waited for long enough. Activations beyond the limit are still due
    /// afterwards.
    func decideWhatIsLate(at now: Moment, to output: StreamOutput) {
        let least = now.wall.subtractingClamped(self.window(of: .waiting))
        for _ in 0..<Self.decisionsLimit {
            guard self.decideOldest(before: least, at: now, to: output) else { return }
        }
    }

    /// Decides about the activation that has waited for longest.
    ///
    /// - Returns: false if none has waited since before this time.
    @discardableResult
    func decideOldest(before least: Int64, at now: Moment, to output: StreamOutput) -> Bool {
        guard let oldest = self.waiting.removeOldest(before: least) else { return false }
        self.decide(oldest, at: now, to: output)
        return true
    }

    /// Decides about an activation that waits no more. Where it names a click, the home of that click is asked once
    /// more: the click can have come there meanwhile, without the device.
    private func decide(_ waiting: WaitingActivations.Waiting, at now: Moment, to output: StreamOutput) {
        self.write(waiting.key, nil, to: output)
        var late = waiting.record
        late.headers = late.headers.filter { !$0.isNamed(HomeRecord.kindHeader) }
        late.headers.append(RecordHeader(HomeRecord.lateHeader, "1"))
        guard let activation = try? Activation(decoding: late), activation.clickID != nil,
            self.writer.sendHome(
                activation,
                value: late.value,
                headers: late.headers,
                timestamp: late.timestamp,
                to: output
            )
        else { return self.judge(late, at: now, to: output) }
    }
}
