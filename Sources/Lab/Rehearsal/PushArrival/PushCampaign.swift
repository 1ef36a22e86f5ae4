import Harness
import Records
import WireFormats
import WireMessages

/// Makes the events of a campaign, and counts the numbers that its statistics must have.
struct PushCampaign {
    typealias Event = Flotilla_Pusharrival_V1_PushEvent

    static let app = "com.example.shop"
    static let message = "spring-sale"
    static let allowedLatenessHours = 6
    private static let devices = 1...200
    /// The time from a device's report to its arrival at the backend, in milliseconds.
    private static let reporting: Int64 = 300
    /// The error of every device's clock in milliseconds. It must have no effect on the results.
    private static let clockError: Int64 = -7_400_000

    let topic: String
    /// The time of the run in wall-clock milliseconds since 1970.
    let now: Int64
    /// The time of sending in wall-clock milliseconds since 1970: a day ago.
    let sentAt: Int64
    /// The expected statistics, by message id.
    private(set) var expected: [String: CampaignCount] = [:]

    init(topic: String, now: Int64) {
        self.topic = topic
        self.now = now
        self.sentAt = now - 24 * 3_600_000
    }

    // MARK: - The devices

    /// The events of one device. Its number determines them.
    private struct Journey {
        let number: Int

        /// The reason for which Apple refused the push; nil if Apple accepted it.
        var refusal: String? {
            self.number % 20 == 0 ? self.number % 40 == 0 ? "BadDeviceToken" : "Unregistered" : nil
        }

        /// Whether the app on the device has a notification service extension, which reports arrivals.
        var isEligible: Bool { self.number % 40 != 7 }
        var arrives: Bool { self.refusal == nil && self.isEligible && self.number % 8 != 3 }
        var isShown: Bool { self.arrives && self.number % 10 != 6 }
        var isOpened: Bool { self.isShown && self.number % 3 == 0 }
        var isDismissed: Bool { self.isShown && self.number % 5 == 1 && !self.isOpened }

        /// The milliseconds from sending to arrival: from one second to an hour and a half, different for
        /// each device.
        var lag: Int64 {
            var lag: Int64 = 1_000
            for _ in 0..<(self.number * 73 % 199) { lag = lag * 1_044 / 1_000 + 1 }
            return lag
        }
    }

    static func deviceID(_ number: Int) -> String {
        "inst-\(String(repeating: "0", count: max(0, 4 - String(number).count)))\(number)"
    }

    /// The events of all devices in the campaign, as they should be.
    mutating func crowd() -> [Sample] {
        var samples: [Sample] = []
        for number in Self.devices {
            let journey = Journey(number: number)
            samples.append(self.sent(journey))
            if journey.arrives { samples.append(self.arrived(journey)) }
            for (kind, happens) in [
                ("shown", journey.isShown), ("opened", journey.isOpened), ("dismissed", journey.isDismissed),
            ] where happens { samples.append(self.followed(journey, kind)) }
        }
        return samples.map { sample in
            var sample = sample
            sample.isOneOfMany = true
            return sample
        }
    }

    private mutating func sent(_ journey: Journey) -> Sample {
        var event = self.event("sent", journey.number)
        event.sentMs = self.sentAt
        event.serverMs = self.sentAt
        if let refusal = journey.refusal {
            event.status = "rejected"
            event.reason = refusal
            self.count { $0.rejected[refusal, default: 0] += 1 }
        } else {
            if !journey.isEligible { event.nseEligible = false }
            self.count {
                $0.accepted += 1
                if journey.isEligible { $0.eligible += 1 }
            }
        }
        return self.counted("sent to \(event.deviceID)", event)
    }

    private mutating func arrived(_ journey: Journey) -> Sample {
        let event = self.arrival(of: journey.number, after: journey.lag)
        self.count {
            $0.arrived += 1
            $0.lags.append(journey.lag)
        }
        return self.counted("arrived at \(event.deviceID)", event, lag: journey.lag)
    }

    private mutating func followed(_ journey: Journey, _ kind: String) -> Sample {
        var event = self.arrival(of: journey.number, after: journey.lag + 5_000)
        event.type = kind
        self.count {
            switch kind {
            case "shown": $0.shown += 1
            case "opened": $0.opened += 1
            default: $0.dismissed += 1
            }
        }
        // Openings are reported by another service, which knows messages and uses their ids as record keys.
        // The worker must forward these records to the partition of their device.
        return self.counted(
            "\(kind) at \(event.deviceID)",
            event,
            key: kind == "opened" ? Self.message : event.deviceID
        )
    }

    // MARK: - Events

    /// Changes the expected statistics of a message.
    mutating func count(_ message: String = PushCampaign.message, _ change: (inout CampaignCount) -> Void) {
        change(&self.expected[message, default: CampaignCount()])
    }

    func event(_ kind: String, _ device: Int) -> Event {
        var event = Event()
        event.type = kind
        event.provider = "apns"
        event.messageID = Self.message
        event.campaignID = "spring"
        event.appBundle = Self.app
        event.deviceID = Self.deviceID(device)
        return event
    }

    /// An arrival as a notification service extension reports it: with the extension's own bundle id, and
    /// with a wrong clock.
    func arrival(of device: Int, after lag: Int64) -> Event {
        var event = self.event("arrived", device)
        event.appBundle = "\(Self.app).arrivals"
        event.sentMs = self.sentAt
        event.deviceMs = self.sentAt + lag + Self.clockError
        event.uploadMs = event.deviceMs + Self.reporting
        event.serverMs = self.sentAt + lag + Self.reporting
        return event
    }

    /// A record of this event, with the expected result.
    func counted(
        _ title: String,
        _ event: Event,
        as standing: String = "accepted",
        key: String? = nil,
        lag: Int64? = nil
    ) -> Sample {
        .good(
            title,
            self.record(event, key: key),
            word: standing,
            detail: lag.map { "lag \($0) ms" },
            calls: 0,
            accepted: 0
        )
    }

    /// Makes a record. The backends of half of the devices write protobuf.
    func record(_ event: Event, key: String? = nil) -> OutboundRecord {
        let format = event.deviceID.utf8.last.map { $0 % 2 == 0 } == true ? ValueFormat.protobuf : .json
        return self.record(
            event.written(as: format),
            key: key ?? event.deviceID,
            contentType: format.contentType
        )
    }

    func record(_ value: [UInt8], key: String, contentType: String = ValueFormat.json.contentType)
        -> OutboundRecord
    {
        OutboundRecord(
            topic: self.topic,
            key: Array(key.utf8),
            value: value,
            headers: [RecordHeader("content-type", contentType)]
        )
    }
}
