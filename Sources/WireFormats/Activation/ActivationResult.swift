import SwiftProtobuf
import WireMessages

/// The value of a record of `activation.result`.
package enum ActivationResult {
    package static func encode(
        _ outcome: Outcome, _ answer: ActivationAnswer?, as format: ValueFormat
    ) -> [UInt8] {
        var message = Flotilla_Activation_V1_ActivationResult()
        message.outcome = Flotilla_Outcome_V1_Outcome(outcome)
        if let answer {
            message.appID = answer.account.appID
            message.advertiserID = answer.account.advertiserID
            message.conversionType = answer.conversionType
        }
        if let gdt = answer?.gdt {
            message.gdt.ret = gdt.ret
            message.gdt.message = gdt.message
            message.gdt.httpStatus = gdt.httpStatus
        }
        return message.encoded(as: format)
    }
}
