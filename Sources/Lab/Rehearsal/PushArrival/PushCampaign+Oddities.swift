import Records
import WireFormats
import WireMessages

// Events beside the campaign. The endpoint for reports is open to every device, and receives anything.
extension PushCampaign {
    /// A message id of FCM, as its payload carries it.
    private static let messageOfFCM = "1766515531287827"
    /// A message id of JPush: a number of 64 bits, which a Double would round to 29273432613945684.
    private static let messageOfJPush = "29273432613945685"

    /// A message of today, of which a phone tells by way of the gateway.
    static let today = "autumn-news"

    /// Events that must be published after `crowd`.
    mutating func oddities() -> [Sample] {
        self.repeated() + self.outOfTime() + self.ineligible() + self.ofOtherProviders() + self.unusable()
            + [self.posted()]
    }

    /// A report that a phone posts to the gateway. The gateway keeps `serverMs` from phones, so the record's own
    /// timestamp is when it came in, and the message is of today.
    private mutating func posted() -> Sample {
        let device = Self.deviceID(Self.phoneOfTheGateway)
        self.count(Self.today) {
            $0.isOver = false
            $0.shown += 1
        }
        let event = """
            {"type":"shown","provider":"apns","messageId":"\(Self.today)","deviceId":"\(device)",\
            "appBundle":"\(Self.app)","sentMs":\(self.now - 5_000)}
            """
        let record = self.record(Array(event.utf8), key: device)
        var sample = Sample.good(
            "posted to the gateway",
            record,
            word: "accepted",
            calls: 0,
            accepted: 0
        )
        sample.post = Sample.Post(
            target: "/push-arrivals",
            headers: [("Content-Type", "application/json")],
            body: record.value
        ) { $0.key == Array(device.utf8) }
        return sample
    }

    private static let phoneOfTheGateway = 201

    private mutating func repeated() -> [Sample] {
        self.count { $0.duplicates += 3 }
        var opened = self.arrival(of: 9, after: 900_000)
        opened.type = "opened"
        return [
            self.counted("the same arrival again", self.arrival(of: 1, after: 60_000), as: "duplicate"),
            self.counted("and once more, at once", self.arrival(of: 1, after: 60_000), as: "duplicate"),
            // This record has the same key as the first opening, so that it is handled after it.
            self.counted("opened by SDK and app", opened, as: "duplicate", key: Self.message),
        ]
    }

    private mutating func outOfTime() -> [Sample] {
        let hours = Int64(Self.allowedLatenessHours) * 3_600_000
        self.count {
            $0.late += 2
            $0.arrived += 2
            $0.adjusted += 2
            $0.lags += [0, 40_300]
        }
        var past = self.arrival(of: 11, after: 20_000)
        past.deviceMs = 0
        var future = self.arrival(of: 19, after: 40_000)
        future.deviceMs = 4_102_444_800_000
        return [
            self.counted(
                "arrived an hour too late",
                self.arrival(of: 3, after: hours + 3_600_000),
                as: "late"
            ),
            self.counted(
                "arrived a day too late",
                self.arrival(of: 27, after: hours + 43_200_000),
                as: "late"
            ),
            self.counted("its clock says 1970", past, lag: 0),
            self.counted("its clock says 2100", future, lag: 40_300),
        ]
    }

    private mutating func ineligible() -> [Sample] {
        self.count { $0.ineligible += 1 }
        var silent = self.arrival(of: 35, after: 10_000)
        silent.payload = #"{"aps":{"content-available":1},"mid":"spring-sale"}"#
        var development = self.arrival(of: 43, after: 10_000)
        development.environment = "development"
        return [
            self.counted("a silent push", silent, as: "ineligible"),
            self.counted("of a development build", development, as: "ineligible"),
        ]
    }

    private mutating func ofOtherProviders() -> [Sample] {
        let lag: Int64 = 5_000
        // FCM states the time of sending in whole seconds.
        let seconds = self.sentAt / 1_000
        let fcm = self.text(
            #"{"aps":{"alert":{"body":"…"},"mutable-content":1},"gcm.message_id":"\#(Self.messageOfFCM)","#
                + #""google.c.a.e":"1","google.c.a.ts":"\#(seconds)"}"#,
            server: seconds * 1_000 + lag
        )
        let jpush = self.text(
            #"{"aps":{"alert":"…","mutable-content":1},"_j_msgid":\#(Self.messageOfJPush),"st":\#(self.sentAt)}"#,
            server: self.sentAt + lag
        )
        for message in [Self.messageOfFCM, Self.messageOfJPush] {
            self.count(message) {
                $0.arrived += 1
                $0.adjusted += 1
                $0.lags.append(lag)
            }
        }
        return [("an arrival as FCM sent it", fcm), ("JPush: an id of 64 bits", jpush)].map { title, value in
            .good(
                title,
                self.record(value, key: Self.deviceID(1)),
                word: "accepted",
                detail: "lag \(lag) ms",
                calls: 0,
                accepted: 0
            )
        }
    }

    /// An arrival with nothing but the payload and the time at which it was received.
    private func text(_ payload: String, server: Int64) -> [UInt8] {
        let event = """
            {"type":"arrived","deviceId":"\(Self.deviceID(1))","appBundle":"\(Self.app)",\
            "serverMs":\(server),"payload":\(payload)}
            """
        return Array(event.utf8)
    }

    private mutating func unusable() -> [Sample] {
        self.count { $0.withoutDevice += 1 }
        var nobody = self.arrival(of: 51, after: 10_000)
        nobody.deviceID = ""
        var unknown = self.arrival(of: 51, after: 10_000)
        unknown.type = "smelled"
        var long = self.arrival(of: 51, after: 10_000)
        long.messageID = String(repeating: "m", count: 10_000)
        let broken = self.record(Array(#"{"type":"arrived","payload":{"aps":"#.utf8), key: Self.deviceID(51))
        var dead = Sample.dead("JSON that ends early", broken, as: .undecodable, because: "value.not_json")
        dead.letterLeavesOutTheValue = true
        return [
            .refused("no device", self.record(nobody, key: Self.deviceID(51)), reason: "device_id.missing"),
            .refused("a type that is none", self.record(unknown), reason: "type.unknown"),
            .refused("an id of 10 KB", self.record(long), reason: "message_id.too_long"),
            dead,
        ]
    }
}
