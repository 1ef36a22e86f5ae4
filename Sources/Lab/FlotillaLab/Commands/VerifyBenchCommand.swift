import ArgumentParser
import Cryptography
import Foundation
import Harness
import Terminal
import Trials
import WireFormats

/// `flotilla-lab verify-bench`: measures the cost of verifying Apple's signatures on one core, compared with OpenSSL
/// alone.
struct VerifyBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-bench",
        abstract: "Measure how fast Apple's signatures are verified, beside OpenSSL alone.",
        discussion: """
            DIRECTORY holds jws_x5c.jsonl and pkcs7_receipt.jsonl, whose first rows are verified over and over. Each \
            way is measured in several rounds, in alternation, in CPU time of this process; the fastest round counts. \
            'Bare signatures' are OpenSSL's verifications with keys that are parsed already; 'bare library' is \
            OpenSSL's way from the same bytes. Build with 'swift build -c release' first; only the ratios mean \
            something on another machine.
            """
    )

    @Argument(help: "Where the test vectors are.")
    var directory = "Tests/TestMaterial/Vectors"

    @Option(help: ArgumentHelp("How long each way is measured, all in all.", valueName: "ms"))
    var time = 2_000

    @Option(help: "Rounds of each way.")
    var rounds = 10

    func validate() throws {
        guard (10...600_000).contains(self.time) else {
            throw ValidationError("--time is from 10 to 600000 ms.")
        }
        guard (1...100).contains(self.rounds) else { throw ValidationError("--rounds is from 1 to 100.") }
    }

    func run() async throws {
        try await self.complaining {
            for benchmark in try self.benchmarks() {
                for line in try self.lines(of: benchmark) {
                    Console.line(line)
                }
            }
        }
    }

    private func benchmarks() throws -> [VerificationBenchmark] {
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        let transaction = try Row(in: self.directory, "jws_x5c.jsonl")
        let receipt = try Row(in: self.directory, "pkcs7_receipt.jsonl")
        return [
            try VerificationBenchmark(
                signedTransaction: Array((transaction.jws ?? "").utf8),
                try transaction.anchors,
                now: now
            ),
            try VerificationBenchmark(
                appReceipt: Base64.decode((receipt.receipt ?? "").utf8) ?? [],
                try receipt.anchors,
                now: now
            ),
        ]
    }

    private func lines(of benchmark: VerificationBenchmark) throws -> [String] {
        let ways = [
            benchmark.cached, benchmark.bareMessage, benchmark.uncached, benchmark.bareSignatures,
            benchmark.bareLibrary,
        ]
        let times = try WayTimer(time: self.time, rounds: self.rounds).times(of: ways).map(\.least)
        return [
            Self.line(
                "\(benchmark.name.rawValue), leaf-key cache on",
                times[0],
                beside: [("bare signature", times[1])]
            ),
            Self.line(
                "\(benchmark.name.rawValue), leaf-key cache off",
                times[2],
                beside: [("bare signatures", times[3]), ("bare library", times[4])]
            ),
        ]
    }

    private static func line(
        _ name: String,
        _ microseconds: Double,
        beside measures: [(name: String, microseconds: Double)]
    ) -> String {
        let padded = name + String(repeating: " ", count: max(0, 28 - name.count))
        let own = String(format: "%9.0f/s %8.1f µs", 1_000_000 / microseconds, microseconds)
        let others = measures.map {
            String(
                format: "   %.2f of %@ (%.1f µs)",
                $0.microseconds / microseconds,
                $0.name,
                $0.microseconds
            )
        }
        return padded + own + others.joined()
    }

    /// The first row of a file with test vectors.
    private struct Row: Decodable {
        var trustedRoot: String
        var jws: String?
        var receipt: String?

        private enum CodingKeys: String, CodingKey {
            case trustedRoot = "trusted_root_der_b64"
            case jws
            case receipt = "receipt_b64"
        }

        init(in directory: String, _ name: String) throws {
            let path = URL(fileURLWithPath: directory).appendingPathComponent(name)
            guard let text = try? Data(contentsOf: path), let line = text.split(separator: 0x0A).first,
                let row = try? JSONDecoder().decode(Row.self, from: line)
            else { throw Complaint("\(path.path) cannot be read") }
            self = row
        }

        var anchors: TrustAnchors {
            get throws {
                guard let der = Base64.decode(self.trustedRoot.utf8), let root = Certificate(der: der) else {
                    throw Complaint("the anchor of a vector cannot be read")
                }
                return TrustAnchors([root])
            }
        }
    }
}
