package import SwiftProtobuf
package import WireMessages

/// The value of a result topic, with the fields that the demo and the chaos run use.
package protocol WorkerResult: Message {
    var hasOutcome: Bool { get }
    var outcome: Flotilla_Outcome_V1_Outcome { get }
    /// The worker's own word for the result beyond the fate; empty if it has none.
    var word: String { get }
    /// The detail that the worker adds to the word.
    var detail: String? { get }
}

extension Flotilla_Activation_V1_ActivationResult: WorkerResult {
    package var word: String { "" }
    package var detail: String? { nil }
}

extension Flotilla_Devicecheck_V1_DeviceCheckResult: WorkerResult {
    package var word: String { self.result }

    package var detail: String? {
        guard self.hasBit0 || self.hasBit1 else { return nil }
        func text(_ isKnown: Bool, _ bit: Bool) -> String { isKnown ? bit ? "1" : "0" : "?" }
        return "bits \(text(self.hasBit0, self.bit0)) \(text(self.hasBit1, self.bit1))"
    }
}

extension Flotilla_Receipt_V1_ReceiptResult: WorkerResult {
    package var word: String { self.verdict }

    package var detail: String? {
        self.check.isEmpty ? self.flagged ? "flagged: \(self.environment)" : nil : self.check
    }
}

extension Flotilla_Pusharrival_V1_PushArrivalResult: WorkerResult {
    package var word: String { self.result }

    /// The lag of an arrival that was counted.
    package var detail: String? {
        self.type == "arrived" && self.result == "accepted" && self.hasLagMs ? "lag \(self.lagMs) ms" : nil
    }
}
