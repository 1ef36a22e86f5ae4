package import Records
import SwiftProtobuf
package import WireFormats
import WireMessages

extension MessageStatistics {
    /// A whole snapshot of a message with every reason and bucket it can have is a fraction of this.
    package static let recordBytesLimit = 65_536
    static let reasonsLimit = 50
    private static let depthLimit = 8

    /// Reads a record of the statistics topic: JSON or protobuf, as its `content-type` says, or as it looks.
    ///
    /// - Throws: for a value that cannot be read, is larger than `recordBytesLimit`, or names no message.
    package init(of record: borrowing InboundRecord) throws(RecordFault) {
        let payload = try RecordPayload(of: record, bytesLimit: Self.recordBytesLimit)
        let message: Flotilla_Pusharrival_V1_PushStatistics
        do {
            message = try Self.message(payload)
        } catch {
            throw RecordFault.undecodable(
                Reason("value.not_statistics", "The value is no push statistics.")
            )
        }
        guard !message.messageID.isEmpty else {
            throw RecordFault.invalid(Reason("field.missing", "The statistics name no message."))
        }
        self.init(message)
    }

    private static func message(_ payload: RecordPayload) throws -> Flotilla_Pusharrival_V1_PushStatistics {
        let bytes = payload.bytes[payload.start...]
        switch payload.format {
        case .json:
            var options = JSONDecodingOptions()
            options.messageDepthLimit = Self.depthLimit
            options.ignoreUnknownFields = true
            return try Flotilla_Pusharrival_V1_PushStatistics(jsonUTF8Bytes: Array(bytes), options: options)
        case .protobuf:
            var options = BinaryDecodingOptions()
            options.messageDepthLimit = Self.depthLimit
            options.discardUnknownFields = true
            return try Flotilla_Pusharrival_V1_PushStatistics(serializedBytes: Array(bytes), options: options)
        }
    }

    init(_ message: Flotilla_Pusharrival_V1_PushStatistics) {
        self.init(
            key: MessageKey(
                provider: message.provider,
                app: message.appBundle,
                message: message.messageID,
                day: message.day
            )
        )
        self.campaign = message.campaignID
        self.version = message.version
        self.isComplete = message.complete
        self.readCounts(message)
        self.lags = LagSketch(indexes: message.lagSketchIndex, counts: message.lagSketchCount)
        self.lagMedian = message.hasLagP50Ms ? max(0, message.lagP50Ms) : nil
        self.lagNinetieth = message.hasLagP90Ms ? max(0, message.lagP90Ms) : nil
        self.firstArrival = message.hasFirstArrivalMs ? message.firstArrivalMs : nil
        self.lastArrival = message.hasLastArrivalMs ? message.lastArrivalMs : nil
        self.sentAt = message.hasSentMs ? message.sentMs : nil
        self.updatedAt = message.updatedMs
    }

    private mutating func readCounts(_ message: Flotilla_Pusharrival_V1_PushStatistics) {
        self.sent = max(0, message.sent)
        self.accepted = max(0, message.accepted)
        self.rejected = max(0, message.rejected)
        self.rejectedReasons = Array(
            message.rejectedReasons.filter { $0.value > 0 }
                .map { Refusal(code: $0.key, count: $0.value) }
                .sorted { ($1.count, $0.code) < ($0.count, $1.code) }
                .prefix(Self.reasonsLimit)
        )
        self.eligible = max(0, message.eligible)
        self.arrived = max(0, message.arrived)
        self.shown = max(0, message.shown)
        self.opened = max(0, message.opened)
        self.dismissed = max(0, message.dismissed)
        self.lagUnknown = max(0, message.lagUnknown)
        self.duplicates = max(0, message.duplicates)
        self.late = max(0, message.lateDropped)
        self.ineligible = max(0, message.ineligible)
        self.unknownDevice = max(0, message.unknownDevice)
        self.skewAdjusted = max(0, message.skewAdjusted)
    }
}
