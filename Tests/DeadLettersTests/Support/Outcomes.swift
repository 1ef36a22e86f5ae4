import Records
import Testing
import WireFormats

/// Outcomes of the activation worker, as its results carry them.
enum Outcomes {
    static func activation(
        _ fate: Outcome.Fate = .succeeded,
        _ reason: Reason? = nil,
        deadLetterID: String? = nil
    ) -> Outcome {
        Outcome(
            topic: "activation",
            partition: 3,
            offset: 42,
            fate: fate,
            reason: reason,
            attempts: 1,
            deadLetterID: deadLetterID,
            receivedAt: 1_795_248_000_000,
            settledAt: 1_795_248_000_057,
            worker: "activation-worker",
            workerVersion: "1.0.0"
        )
    }

    /// An answer of GDT, which a result carries beside its outcome.
    static func answer() throws -> ActivationAnswer {
        let record = InboundRecord(
            topic: "activation",
            partition: 3,
            offset: 42,
            value: Array(EditingTests.valid.utf8)
        )
        let reply = try #require(GDTReply(Array(#"{"ret":-15,"msg":"m"}"#.utf8)))
        return ActivationAnswer(
            account: GDTAccount(appID: 112_233, advertiserID: 10_000),
            conversionType: "MOBILEAPP_ACTIVITE",
            gdt: GDTAnswer(reply, httpStatus: 200, to: try Activation(decoding: record))
        )
    }
}
