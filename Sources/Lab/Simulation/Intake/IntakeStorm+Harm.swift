import Kafka
import Records
import ServiceKit

// The honest phones, the harmful publishers, and the faults of processes.
extension IntakeStorm: Adversary {
    var calmAfter: Duration { self.plan.length }
    var produceTrouble: Double { 0 }
    var commitTrouble: Double { 0 }

    var kinds: Set<AdversaryKind> { self.plan.kinds }
    var rebalance: Duration { self.plan.rebalance }
    var takeover: Duration { self.plan.takeover }
    var absence: Duration { .seconds(17) }

    func planOutage() {}
    func groupMoved(from offset: Int64, in partition: Int32) {}

    // MARK: - Honest phones

    /// A click, the upload of the first start some seconds later, and often the same upload once more.
    func planPhones() {
        let gap = Duration.seconds(1) / self.plan.perSecond
        for number in 0..<Int(self.plan.length / gap) {
            let clicked = gap * number
            let started = clicked + .seconds(Int.random(in: 2...5, using: &self.random))
            let comesTwice = self.chance(0.5)
            let again = started + self.milliseconds(500...5_000)
            let encoding = Int.random(in: 0...2, using: &self.random)
            self.timeline.after(clicked) { [unowned self] in
                var phone = SimulatedPhone(
                    UInt64(number) + 1,
                    startedAt: self.timeline.clock.now.wall + (started - clicked).wholeMilliseconds
                )
                phone.encoding = encoding
                let length = (started - clicked).wholeMilliseconds / 1_000
                self.publish(click: phone.click(secondsBefore: length))
                self.timeline.after(started - clicked) { [unowned self] in
                    let place = self.publish(phone.upload)
                    self.judge.expect(phone, number: Int64(number), at: place)
                }
                guard comesTwice else { return }
                self.timeline.after(again - clicked) { [unowned self] in self.publish(phone.upload) }
            }
        }
    }

    // MARK: - Others

    func planPublishers() {
        // The kinds are taken in the order of their declaration, because the order of a set differs from run
        // to run.
        for kind in AdversaryKind.allCases where self.plan.kinds.contains(kind) { self.planPublisher(kind) }
    }

    private var floodCount: Int { Int(self.plan.length / .seconds(1)) * self.plan.floodPerSecond }

    /// A number of a phone that no other publisher uses.
    func stranger(_ number: Int, of kind: UInt64) -> UInt64 { kind << 40 | UInt64(number) }

    private func planPublisher(_ kind: AdversaryKind) {
        switch kind {
        case .badUploads:
            var number = 0
            self.flood(self.count(of: [40, 120])) { [unowned self] _ in
                self.publish(SimulatedUpload.bad[number % SimulatedUpload.bad.count])
                number += 1
            }
        case .bombs:
            var number = 0
            self.flood(self.count(of: [4, 12])) { [unowned self] _ in
                self.publish(SimulatedUpload.bombs[number % SimulatedUpload.bombs.count])
                number += 1
            }
        case .farTimes: self.planFarTimes()
        case .inventedPhones:
            var number = 0
            self.flood(self.floodCount, isSteady: true) { [unowned self] _ in
                number += 1
                let phone = SimulatedPhone(
                    self.stranger(number, of: 2),
                    startedAt: self.timeline.clock.now.wall
                )
                self.publish(phone.upload)
            }
        case .unmatchedClicks: self.planUnmatchedClicks()
        case .oneClient: self.planOneClient()
        case .sizes: self.planSizes()
        default: break
        }
    }

    /// Phones and records whose clocks are wrong by years. Each upload comes twice.
    private func planFarTimes() {
        var number = 0
        self.flood(self.count(of: [6, 20])) { [unowned self] _ in
            number += 1
            let now = self.timeline.clock.now.wall
            let day: Int64 = 86_400_000
            let times = [1, 1_000_000_005_000, now + day, now + 36_500 * day, now - 3_650 * day, .max]
            let stamps = [0, -1, .max, .min, now - 3_650 * day, now + 3_650 * day, now]
            let phone = SimulatedPhone(
                self.stranger(number, of: 1),
                startedAt: times.randomElement(using: &self.random) ?? 1
            )
            self.publish(
                click: phone.click(secondsBefore: 5),
                code: (1_000_000_000...253_402_300_799).contains(phone.startedAt / 1_000 - 5)
                    ? nil : "click.time",
                timestamp: stamps.randomElement(using: &self.random)
            )
            for _ in 0..<2 {
                self.publish(phone.upload, timestamp: stamps.randomElement(using: &self.random))
            }
        }
    }

    private func planUnmatchedClicks() {
        guard self.plan.matchesClicks else { return }
        var number = 0
        self.flood(self.floodCount, isSteady: true) { [unowned self] _ in
            number += 1
            let phone = SimulatedPhone(
                self.stranger(number, of: 3),
                startedAt: self.timeline.clock.now.wall
            )
            switch number % 10 {
            case 0: self.publish(click: "muid=__MUID__&click_time=1", code: "click.no_identity")
            case 1: self.publish(click: "muid=\(phone.muid)&click_time=soon", code: "click.time")
            case 2: self.publish(click: String(repeating: "a", count: 20_000), code: "click.too_large")
            default: self.publish(click: phone.click(secondsBefore: 1))
            }
        }
    }

    /// One phone that reports a new first start each time, and clicks on an advertisement each time.
    private func planOneClient() {
        var number = 0
        let clicker = SimulatedPhone(self.stranger(0, of: 4), startedAt: self.timeline.clock.now.wall)
        self.flood(self.floodCount, isSteady: true) { [unowned self] _ in
            number += 1
            let now = self.timeline.clock.now.wall
            self.publish(
                SimulatedPhone(self.stranger(number, of: 4), startedAt: now, deviceID: "one").upload
            )
            let id = "\(number)-" + String(repeating: "x", count: 110)
            self.publish(
                click: "muid=\(clicker.muid)&click_time=\(now / 1_000 - 1)&click_id=\(id)&appid=112233"
            )
        }
    }
}
