import SwiftProtobuf
import WireMessages

extension PushStatisticsRecord {
    /// Returns the encoded statistics.
    package func encoded(as format: ValueFormat) -> [UInt8] {
        switch format {
        case .json: self.json
        case .protobuf: self.protobuf
        }
    }

    /// The statistics as JSON. They differ from proto3's usual output but every reader of its mapping accepts
    /// them: 64-bit integers are plain numbers, and zeros and nulls are written. The tools that read
    /// statistics handle numbers better than strings, and find every member in every record.
    private var json: [UInt8] {
        var json = JSONWriter(reserving: 2_048)
        json.object { json in
            json.optionalString("provider", self.provider)
            json.optionalString("appBundle", self.appBundle)
            json.optionalString("messageId", self.messageID)
            json.optionalString("campaignId", self.campaignID)
            switch self.window {
            case .cohort: json.string("window", "cohort")
            case .day(let day):
                json.string("window", "day")
                json.string("day", day)
            case .segment(let dimension, let name, let day):
                json.string("window", "segment")
                json.string("day", day)
                json.string("segmentBy", dimension.rawValue)
                json.string("segment", name)
                json.number("early", self.early)
            }
            json.number("version", self.version)
            json.bool("complete", self.isComplete)
            self.writeCounts(to: &json)
            self.lag.write(to: &json)
            let hours = self.hours.all
            json.numbers("arrivalHour", hours.lazy.map { Int64($0.hour) })
            json.numbers("arrivalHourCount", hours.lazy.map(\.count))
            self.writeRest(to: &json)
        }
        return json.text
    }

    private func writeCounts(to json: inout JSONWriter) {
        json.number("sent", self.sent)
        json.number("accepted", self.accepted)
        json.number("rejected", self.rejected)
        json.numbers("rejectedReasons", self.rejectedReasons.sorted { $0.key < $1.key })
        json.number("eligible", self.eligible)
        json.number("arrived", self.arrived)
        json.number("shown", self.shown)
        json.number("opened", self.opened)
        json.number("dismissed", self.dismissed)
        json.number("attachmentsShown", self.attachmentsShown)
        json.number("converted", self.converted)
        json.numbers("conversionValueMicros", self.conversionValueMicros.sorted { $0.key < $1.key })
        json.number("unregistered", self.unregistered)
        json.optionalNumber("arrivalRate", self.arrivalRate)
        json.optionalNumber("eligibleArrivalRate", self.eligibleArrivalRate)
        json.optionalNumber("shownRate", self.shownRate)
        json.optionalNumber("openRate", self.openRate)
        json.optionalNumber("ctr", self.clickThroughRate)
        json.optionalNumber("attachmentRate", self.attachmentRate)
        json.optionalNumber("conversionRate", self.conversionRate)
    }

    private func writeRest(to json: inout JSONWriter) {
        json.number("duplicates", self.duplicates)
        json.number("lateDropped", self.lateDropped)
        json.number("ineligible", self.ineligible)
        json.number("unknownDevice", self.unknownDevice)
        json.number("skewAdjusted", self.skewAdjusted)
        json.optionalNumber("firstArrivalMs", self.firstArrivalMS)
        json.optionalNumber("lastArrivalMs", self.lastArrivalMS)
        json.optionalNumber("sentMs", self.sentMS)
        json.number("updatedMs", self.updatedMS)
    }

    private var protobuf: [UInt8] {
        var options = BinaryEncodingOptions()
        // Equal statistics have to give equal bytes.
        options.useDeterministicOrdering = true
        do {
            return try self.message.serializedBytes(options: options)
        } catch {
            preconditionFailure("statistics cannot be written")
        }
    }

    var message: Flotilla_Pusharrival_V1_PushStatistics {
        var message = Flotilla_Pusharrival_V1_PushStatistics()
        message.provider = self.provider
        message.appBundle = self.appBundle
        message.messageID = self.messageID
        message.campaignID = self.campaignID
        switch self.window {
        case .cohort: message.window = "cohort"
        case .day(let day): (message.window, message.day) = ("day", day)
        case .segment(let dimension, let name, let day):
            (message.window, message.day) = ("segment", day)
            (message.segmentBy, message.segment) = (dimension.rawValue, name)
            message.early = self.early
        }
        message.version = self.version
        message.complete = self.isComplete
        message.sent = self.sent
        message.accepted = self.accepted
        message.rejected = self.rejected
        message.rejectedReasons = self.rejectedReasons
        message.eligible = self.eligible
        message.arrived = self.arrived
        message.shown = self.shown
        message.opened = self.opened
        message.dismissed = self.dismissed
        message.attachmentsShown = self.attachmentsShown
        message.converted = self.converted
        message.conversionValueMicros = self.conversionValueMicros
        message.unregistered = self.unregistered
        if let rate = self.arrivalRate { message.arrivalRate = rate }
        if let rate = self.eligibleArrivalRate { message.eligibleArrivalRate = rate }
        if let rate = self.shownRate { message.shownRate = rate }
        if let rate = self.openRate { message.openRate = rate }
        if let rate = self.clickThroughRate { message.ctr = rate }
        if let rate = self.attachmentRate { message.attachmentRate = rate }
        if let rate = self.conversionRate { message.conversionRate = rate }
        self.lag.fill(&message)
        let hours = self.hours.all
        message.arrivalHour = hours.map(\.hour)
        message.arrivalHourCount = hours.map(\.count)
        message.duplicates = self.duplicates
        message.lateDropped = self.lateDropped
        message.ineligible = self.ineligible
        message.unknownDevice = self.unknownDevice
        message.skewAdjusted = self.skewAdjusted
        if let time = self.firstArrivalMS { message.firstArrivalMs = time }
        if let time = self.lastArrivalMS { message.lastArrivalMs = time }
        if let time = self.sentMS { message.sentMs = time }
        message.updatedMs = self.updatedMS
        return message
    }
}

extension PushStatisticsRecord.Lag {
    fileprivate func write(to json: inout JSONWriter) {
        json.numbers("lagEdgesMs", self.edgesMS)
        json.numbers("lagHist", self.histogram)
        json.optionalNumber("lagP50Ms", self.p50MS)
        json.optionalNumber("lagP90Ms", self.p90MS)
        let buckets = self.sketch.buckets
        json.numbers("lagSketchIndex", buckets.lazy.map { Int64($0.index) })
        json.numbers("lagSketchCount", buckets.lazy.map(\.count))
        json.number("lagUnknown", self.unknown)
    }

    fileprivate func fill(_ message: inout Flotilla_Pusharrival_V1_PushStatistics) {
        message.lagEdgesMs = self.edgesMS
        message.lagHist = self.histogram
        if let lag = self.p50MS { message.lagP50Ms = lag }
        if let lag = self.p90MS { message.lagP90Ms = lag }
        let buckets = self.sketch.buckets
        message.lagSketchIndex = buckets.map { Int32(clamping: $0.index) }
        message.lagSketchCount = buckets.map(\.count)
        message.lagUnknown = self.unknown
    }
}
