package import Records
import SwiftProtobuf
import WireMessages

/// Accepted arrivals that are sent to a statistics endpoint in one request.
package struct PushForwardBatch: Hashable, Sendable {
    /// One accepted arrival.
    package struct Arrival: Hashable, Sendable {
        /// The push's provider, never empty.
        package var provider: String
        /// The app's bundle id; empty if unknown.
        package var appBundle: String
        /// The message id; empty if unknown.
        package var messageID: String
        /// The campaign id; empty if unknown.
        package var campaignID: String
        /// The device, never empty.
        package var deviceID: String
        /// The time of the arrival, in milliseconds since 1970 by the server's clock.
        package var arrivedMS: Int64
        /// The time at which the push was sent, in milliseconds since 1970; nil if unknown.
        package var sentMS: Int64?
        /// The milliseconds from the sending to the arrival; nil if unknown.
        package var lagMS: Int64?

        /// Takes the fields of an accepted event and its time.
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

        /// The most bytes that the arrival takes in `json`. Each byte of a name may need a backslash before
        /// it; names have no control characters, which would take more.
        package var jsonBytesBound: Int {
            let names = [self.provider, self.appBundle, self.messageID, self.campaignID, self.deviceID]
            return names.reduce(256) { $0 + 2 * $1.utf8.count }
        }
    }

    /// The arrivals of the batch.
    package var arrivals: [Arrival]

    package init(_ arrivals: [Arrival]) { self.arrivals = arrivals }

    /// The batch as JSON: the record's value, and the body of the request.
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

    /// Returns how many arrivals a record of the topic `push-arrival.forward` holds. The request's body is
    /// the value itself, so nothing else is read.
    ///
    /// - Throws: `RecordFault` if the value cannot be decoded or has no arrivals.
    package static func count(in record: borrowing InboundRecord) throws(RecordFault) -> Int {
        let message = try RecordPayload(of: record).decode(as: Flotilla_Pusharrival_V1_PushForwardBatch.self)
        guard !message.arrivals.isEmpty else {
            throw .invalid("arrivals.missing", "The batch has no arrivals.")
        }
        return message.arrivals.count
    }
}
