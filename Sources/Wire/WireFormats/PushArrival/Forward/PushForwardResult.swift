import SwiftProtobuf
import WireMessages

/// The part of a forwarder's result beyond the outcome of the batch.
package struct PushForwardAnswer: Hashable, Sendable {
    /// The number of arrivals in the batch.
    package var arrivals: Int
    /// The endpoint's HTTP status; nil if it has not answered.
    package var httpStatus: Int?

    package init(arrivals: Int, httpStatus: Int? = nil) {
        self.arrivals = arrivals
        self.httpStatus = httpStatus
    }
}

/// The value of a record of `push-arrival.forward.result`.
package enum PushForwardResult {
    /// The place of the message in `push_forward.proto`, counted from 0.
    package static let place = 2

    /// Returns the encoded result.
    ///
    /// - Parameter answer: nil if the batch could not be read.
    package static func encode(
        _ outcome: Outcome,
        _ answer: PushForwardAnswer?,
        as format: ValueFormat
    ) -> [UInt8] {
        switch format {
        case .json: self.json(outcome, answer)
        case .protobuf: self.message(outcome, answer).encoded()
        }
    }

    static func message(
        _ outcome: Outcome,
        _ answer: PushForwardAnswer?
    ) -> Flotilla_Pusharrival_V1_PushForwardResult {
        var message = Flotilla_Pusharrival_V1_PushForwardResult()
        message.outcome = Flotilla_Outcome_V1_Outcome(outcome)
        guard let answer else { return message }
        message.arrivals = Int32(clamping: answer.arrivals)
        if let status = answer.httpStatus { message.httpStatus = Int32(clamping: status) }
        return message
    }

    private static func json(_ outcome: Outcome, _ answer: PushForwardAnswer?) -> [UInt8] {
        var json = JSONWriter(reserving: 512)
        json.object { json in
            json.object("outcome") { outcome.write(to: &$0) }
            guard let answer else { return }
            json.int32("arrivals", Int32(clamping: answer.arrivals))
            if let status = answer.httpStatus { json.int32("httpStatus", Int32(clamping: status)) }
        }
        return json.text
    }
}
