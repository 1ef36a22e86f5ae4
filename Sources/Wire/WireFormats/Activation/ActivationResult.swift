import SwiftProtobuf
import WireMessages

/// The value of a record of `activation.result`.
package enum ActivationResult {
    /// Returns the encoded result.
    ///
    /// - Parameter answer: nil if nothing is known beyond the outcome.
    package static func encode(
        _ outcome: Outcome,
        _ answer: ActivationAnswer?,
        as format: ValueFormat
    ) -> [UInt8] {
        switch format {
        case .json: self.json(outcome, answer)
        case .protobuf: self.message(outcome, answer).encoded()
        }
    }

    static func message(
        _ outcome: Outcome,
        _ answer: ActivationAnswer?
    ) -> Flotilla_Activation_V1_ActivationResult {
        var message = Flotilla_Activation_V1_ActivationResult()
        message.outcome = Flotilla_Outcome_V1_Outcome(outcome)
        if let answer {
            message.appID = answer.account.appID
            message.advertiserID = answer.account.advertiserID
            message.conversionType = answer.conversionType
            message.convertedAtAssumed = answer.isTimeAssumed
        }
        if let gdt = answer?.gdt {
            message.gdt = Flotilla_Activation_V1_Gdt()
            message.gdt.ret = gdt.ret
            message.gdt.message = gdt.message
            message.gdt.httpStatus = gdt.httpStatus
        }
        if let marketing = answer?.marketing {
            message.marketingApi.code = marketing.code
            message.marketingApi.message = marketing.message
            message.marketingApi.httpStatus = marketing.httpStatus
        }
        if let route = answer?.route { message.route = route.rawValue }
        return message
    }

    private static func json(_ outcome: Outcome, _ answer: ActivationAnswer?) -> [UInt8] {
        var json = JSONWriter(reserving: 512)
        json.object { json in
            json.object("outcome") { outcome.write(to: &$0) }
            if let gdt = answer?.gdt {
                json.object("gdt") { json in
                    json.int32("ret", gdt.ret)
                    json.string("message", gdt.message)
                    json.int32("httpStatus", gdt.httpStatus)
                }
            }
            if let answer {
                json.int64("appId", answer.account.appID)
                json.int64("advertiserId", answer.account.advertiserID)
                json.string("conversionType", answer.conversionType)
                if answer.isTimeAssumed { json.bool("convertedAtAssumed", true) }
                if let marketing = answer.marketing {
                    json.object("marketingApi") { json in
                        json.int64("code", marketing.code)
                        json.string("message", marketing.message)
                        json.int32("httpStatus", marketing.httpStatus)
                    }
                }
                if let route = answer.route { json.string("route", route.rawValue) }
            }
        }
        return json.text
    }
}
