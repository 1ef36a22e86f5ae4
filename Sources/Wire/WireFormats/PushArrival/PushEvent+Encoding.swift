extension PushEvent {
    /// Returns the event as a protobuf `PushEvent`. The payload is left out, since the event holds everything
    /// that was taken from it. Decoding the bytes gives an equal event.
    package func encoded() -> [UInt8] {
        var message = ProtobufWriter(reserving: 320)
        message.string(1, self.kind.rawValue)
        message.string(2, self.provider)
        message.string(3, self.messageID)
        message.string(4, self.campaignID)
        message.string(5, self.appBundle)
        message.string(6, self.deviceID)
        message.string(7, self.eventID)
        message.string(8, self.environment)
        if case .rejected(let reason) = self.acceptance {
            message.string(9, "rejected")
            message.string(10, reason)
        }
        message.optionalInt64(11, self.sentMS)
        message.optionalInt64(12, self.deviceMS)
        message.optionalInt64(13, self.uploadMS)
        message.optionalInt64(14, self.serverMS)
        message.optionalBool(15, self.isEligible)
        message.string(17, self.payloadSHA256)
        message.string(18, self.segments.appVersion)
        message.string(19, self.segments.osVersion)
        message.string(20, self.segments.deviceModel)
        message.string(21, self.segments.country)
        if let value = self.value {
            message.optionalInt64(22, value.micros)
            message.string(23, value.currency)
        }
        return message.bytes
    }
}
