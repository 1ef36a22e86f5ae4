import Cryptography
import WireFormats

/// A notice of a worker that has every field.
enum Notices {
    static let activation = DeadLetterNotice(
        source: .init(
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

    static func sha256(_ bytes: [UInt8]) -> String {
        String(decoding: Digest.sha256.hexadecimal(bytes), as: UTF8.self)
    }
}
