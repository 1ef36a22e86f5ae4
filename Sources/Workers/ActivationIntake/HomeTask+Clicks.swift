import Kafka
import Records
import ServiceKit
import StreamKit
import WireFormats

// The clicks that a home remembers, and the activations that they have led to.
extension HomeTask {
    /// Remembers a click, and decides about the activations that have waited for it, unless the feed lags.
    func noteClick(_ record: borrowing InboundRecord, at now: Moment, to output: StreamOutput) {
        guard let name = record.key, let click = record.value.flatMap({ ClickTrail.Click($0) }) else {
            return self.metrics.unreadableRecord()
        }
        let key = self.clickKey(String(decoding: name, as: UTF8.self), click.appID)
        let known = self.trail(key, at: now)
        var trail = known
        trail.add(click, bytesLimit: self.settings.kafka.messageBytesLimit / 2)
        if trail != known { self.remember(key, trail.text, at: now, to: output) }
        // Later clicks of the device may stand in the same backlog, and the last one counts.
        guard !self.isOfABacklog(record, at: now) else { return }
        self.release(of: name, at: now, to: output)
    }

    /// The key of the clicks of a device or an id. Each app has its own, so that clicks on one app push out none of
    /// another; clicks that name no app have one too.
    private func clickKey(_ name: String, _ appID: UInt64?) -> RememberedKey {
        RememberedKey(.click, named: appID.map { "\(name) \($0)" } ?? name)
    }

    private func trail(_ key: RememberedKey, at now: Moment) -> ClickTrail {
        self.entry(of: key, at: now).map { ClickTrail($0.text) } ?? ClickTrail()
    }

    /// The last click under a name that can have led to an activation.
    private func click(named name: String, of activation: Activation, at now: Moment) -> ClickTrail.Click? {
        let clicks = [activation.account.appID, nil].compactMap { app in
            self.trail(self.clickKey(name, app), at: now).click(of: activation, within: self.clickSeconds)
        }
        return clicks.max { $0.clickedAt < $1.clickedAt }
    }

    /// How long before its activation a click may lie, in seconds.
    private var clickSeconds: Int64 { self.settings.clickWindow.wholeMilliseconds / 1_000 }

    /// Sends an activation on to the home of its device, with the click that it names if that is known.
    func lookUp(_ record: borrowing InboundRecord, at now: Moment, to output: StreamOutput) {
        guard let activation = try? Activation(decoding: record), let click = activation.clickID else {
            return self.metrics.unreadableRecord()
        }
        let headers = record.headers.filter {
            !$0.isNamed(HomeRecord.kindHeader) && !$0.isNamed(HomeRecord.clickHeader)
        }
        let found = self.click(named: HomeRecord.Name.click(click), of: activation, at: now)
        var shortened = found
        shortened?.callback = nil
        // An activation that has no room for the callback of its click goes on without it, or without the click.
        for line in [found?.line, shortened?.line, nil] as [String?] {
            let isSent = self.writer.send(
                home: .activation,
                named: HomeRecord.Name.device(activation.muidText),
                value: record.value,
                headers: headers + (line.map { [RecordHeader(HomeRecord.clickHeader, $0)] } ?? []),
                timestamp: record.timestamp,
                to: output
            )
            if isSent { return }
        }
        // This is not the home of the device, so nothing may be judged here.
        self.metrics.counted("activation", "dead_lettered")
        self.writer.buryTooLarge(record, at: now, to: output)
    }

    /// The last click that has led to an activation: by the id that it names, or by its device.
    func click(
        of activation: Activation,
        _ record: borrowing InboundRecord,
        at now: Moment
    ) -> ClickTrail.Click? {
        let named = record.header(HomeRecord.clickHeader).flatMap { ClickTrail.Click($0) }
        let clicks = [
            named.flatMap { $0.canHaveLed(to: activation, within: self.clickSeconds) ? $0 : nil },
            self.click(named: HomeRecord.Name.device(activation.muidText), of: activation, at: now),
        ]
        return clicks.compactMap(\.self).max { $0.clickedAt < $1.clickedAt }
    }
}
