import SwiftProtobuf
import WireMessages

/// The value of a result topic, as far as a show understands it.
protocol WorkerResult: Message {
    var hasOutcome: Bool { get }
    var outcome: Flotilla_Outcome_V1_Outcome { get }
    /// What the worker says of a record beyond its fate; empty if that is all.
    var word: String { get }
    /// What there is to add to that.
    var detail: String? { get }
}

extension Flotilla_Activation_V1_ActivationResult: WorkerResult {
    var word: String { "" }
    var detail: String? { nil }
}

extension Flotilla_Devicecheck_V1_DeviceCheckResult: WorkerResult {
    var word: String { self.result }

    var detail: String? {
        guard self.hasBit0 || self.hasBit1 else { return nil }
        func text(_ isKnown: Bool, _ bit: Bool) -> String { isKnown ? bit ? "1" : "0" : "?" }
        return "bits \(text(self.hasBit0, self.bit0)) \(text(self.hasBit1, self.bit1))"
    }
}

extension Flotilla_Receipt_V1_ReceiptResult: WorkerResult {
    var word: String { self.verdict }

    var detail: String? {
        self.check.isEmpty ? self.flagged ? "flagged: \(self.environment)" : nil : self.check
    }
}

extension Flotilla_Pusharrival_V1_PushArrivalResult: WorkerResult {
    var word: String { self.result }

    /// How long a counted arrival took.
    var detail: String? {
        self.type == "arrived" && self.result == "accepted" && self.hasLagMs ? "lag \(self.lagMs) ms" : nil
    }
}
