package import Records
import SwiftProtobuf
import WireMessages

/// Accepted arrivals that go to a statistics endpoint in one request.
package struct PushForwardBatch: Hashable, Sendable {
    package struct Arrival: Hashable, Sendable {
        package var provider: String
        package var appBundle: String
        package var messageID: String
        package var campaignID: String
        package var deviceID: String
        /// Milliseconds since 1970, by the server's clock.
        package var arrivedMS: Int64
        package var sentMS: Int64?
        package var lagMS: Int64?

        package init(_ event: PushEvent, _ time: PushTime) {
            self.provider = event.provider
            self.appBundle = event.appBundle
            self.messageID = event.messageID
            self.campaignID = event.campaignID
            self.deviceID = event.deviceID
            self.arrivedMS = time.correctedMS
            self.sentMS = time.sentMS
            self.lagMS = time.lagMS
        }

        /// At most so many bytes in `json`: each byte of a name may need a backslash; event names have no control
        /// characters.
        package var jsonBytesBound: Int {
            let names = [self.provider, self.appBundle, self.messageID, self.campaignID, self.deviceID]
            return names.reduce(256) { $0 + 2 * $1.utf8.count }
        }
    }

    package var arrivals: [Arrival]

    package init(_ arrivals: [Arrival]) { self.arrivals = arrivals }

    /// As JSON: the record's value, and the body of the request.
    package var json: [UInt8] {
        var json = JSONWriter(reserving: 64 + self.arrivals.count * 256)
        json.object { json in
            json.objects("arrivals", self.arrivals) { json, arrival in
                json.string("provider", arrival.provider)
                json.string("appBundle", arrival.appBundle)
                json.string("messageId", arrival.messageID)
                json.string("campaignId", arrival.campaignID)
                json.string("deviceId", arrival.deviceID)
                json.number("arrivedMs", arrival.arrivedMS)
                if let sent = arrival.sentMS { json.number("sentMs", sent) }
                if let lag = arrival.lagMS { json.number("lagMs", lag) }
            }
        }
        return json.text
    }

    /// How many arrivals a record of the topic `push-arrival.forward` has. They are sent on as they are.
    package static func count(in record: borrowing InboundRecord) throws(RecordFault) -> Int {
        let message = try RecordPayload(of: record).decode(as: Flotilla_Pusharrival_V1_PushForwardBatch.self)
        guard !message.arrivals.isEmpty else {
            throw .invalid("arrivals.missing", "The batch has no arrivals.")
        }
        return message.arrivals.count
    }
}
