import Records
package import WireFormats

/// Large numbers of events of a campaign, for measurements: each pair of message and device arrives once.
package struct MadeUpEvents {
    /// The number of different messages.
    package var messages: Int

    /// The time of sending in Unix milliseconds. It must be recent, so that no event is late.
    package var sent: Int64

    /// Makes the events of a campaign of so many messages, which were sent at this time.
    package init(messages: Int, sent: Int64) {
        self.messages = messages
        self.sent = sent
    }

    /// The event with this number.
    package func event(_ index: Int) -> PushEvent {
        let device = index / self.messages
        let server = self.sent + Int64(index % 100_000)
        return PushEvent(
            .arrived,
            appBundle: "com.example.app",
            messageID: "message-\(index % self.messages)",
            campaignID: "campaign",
            deviceID: Self.device(device),
            eventID: "",
            sentMS: self.sent,
            deviceMS: server + 3_000,
            uploadMS: server + 3_500,
            serverMS: server,
            isEligible: true
        )
    }

    /// A device id, as long as an installation id.
    private static func device(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "6F9619FF-8B86-D011-B42D-" + String(repeating: "0", count: max(0, 12 - digits.utf8.count))
            + digits
    }
}
