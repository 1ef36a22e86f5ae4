import SwiftProtobuf
import WireMessages

@testable import ActivationWorker
@testable import WireFormats

extension ActivationAnswer {
    /// Checks that the result record of an activation with this answer is JSON, and says the same in both formats.
    func checkResult(_ fate: Outcome.Fate, because reason: Reason?) throws {
        let outcome = Outcome(
            topic: "activation",
            partition: 0,
            offset: 7,
            fate: fate,
            reason: reason,
            attempts: 1,
            deadLetterID: nil,
            receivedAt: InputReader.now,
            settledAt: InputReader.now,
            worker: "activation-worker",
            workerVersion: "0.1.0"
        )
        let json = ActivationResult.encode(outcome, self, as: .json)
        let protobuf = ActivationResult.encode(outcome, self, as: .protobuf)
        try claim("a result is JSON", FoundationJSON(json) != nil && JSONObject(json) != nil)
        let one = try Flotilla_Activation_V1_ActivationResult(jsonUTF8Bytes: json)
        let other = try Flotilla_Activation_V1_ActivationResult(serializedBytes: protobuf)
        try claim("a result says the same in both formats", one == other)
    }
}
