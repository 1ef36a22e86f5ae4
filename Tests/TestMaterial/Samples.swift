package import WireFormats

extension Outcome {
    /// An outcome of the activation worker.
    package static func ofActivation(
        _ fate: Fate = .succeeded,
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
}

extension DeadLetterNotice {
    /// A notice of the activation worker that has every field.
    package static var ofActivation: DeadLetterNotice {
        DeadLetterNotice(
            source: Source(
                clusterID: "c1",
                topic: "activation",
                partition: 3,
                offset: 42,
                group: "activation-worker",
                timestamp: 1_795_248_000_000
            ),
            kind: .rejected,
            reason: Reason("gdt.-1", "Illegal."),
            replayable: .afterFix,
            attempts: 2,
            firstFailedAt: 1_795_248_001_000,
            failedAt: 1_795_248_002_500,
            upstream: "gdt",
            upstreamStatus: 200,
            upstreamRequestID: "r-1",
            worker: "activation-worker",
            workerVersion: "1.2.3"
        )
    }
}
