import Records
import WireFormats

/// Events of a campaign by the million, for measuring: each (message, device) has arrived once.
struct MadeUpEvents {
    var messages: Int

    /// When the campaign was sent: a moment ago, so that nothing is late.
    var sent: Int64

    func event(_ index: Int) -> PushEvent {
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

    /// As long as an installation id is.
    private static func device(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "6F9619FF-8B86-D011-B42D-" + String(repeating: "0", count: max(0, 12 - digits.utf8.count))
            + digits
    }
}
