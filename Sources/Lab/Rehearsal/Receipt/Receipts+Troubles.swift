import Foundation
import Harness
import Records
import UpstreamSimulator
import WireFormats

// The steps with failing calls, and their faults.
extension Receipts {
    /// The faults of the next step, as JSON. Faults of the Server API are limited to a purchase; those of
    /// verifyReceipt hit the only receipt in the step.
    static var troubles: [UInt8] {
        var faults = AppleFaults()
        let once = Dose(next: 1)
        faults.wrongAnswers = [
            .init(status: 200, text: #"{"status":21005}"#, path: "/verifyReceipt", when: once),
            .init(status: 200, text: "<html>", path: "/verifyReceipt", when: once),
            .init(status: 503, text: "", path: "/\(Item.slowBook.rawValue)", when: Dose(next: 2)),
            .init(status: 418, text: "", path: "/\(Item.oddBook.rawValue)"),
        ]
        return Self.encoded(faults)
    }

    func troubled() -> [Sample] {
        [
            .good(
                "21005, then a proxy's page",
                self.record(self.withReceipt(.subscription), of: "1"),
                word: "valid",
                calls: 3
            ),
            .good("503 twice", self.record(self.withID(.slowBook), of: "2"), word: "valid", calls: 3),
            .good(
                "too fresh to be known yet",
                self.record(self.withID(.freshBook), of: "3"),
                word: "valid",
                calls: 5,
                followUps: 2
            ),
            .dead(
                "418, every time",
                self.record(self.withID(.oddBook), of: "4"),
                as: .exhausted,
                because: "http.418",
                calls: 3
            ),
        ]
    }

    /// One response with status 429 and a time to wait, as JSON.
    static var throttle: [UInt8] {
        var faults = AppleFaults()
        faults.throttle = .init(retryAfterSeconds: 1, when: Dose(next: 1))
        return Self.encoded(faults)
    }

    func throttled() -> [Sample] {
        [
            .good(
                "429, come back in a second",
                self.record(self.withID(.throttledBook), of: "1"),
                word: "valid",
                calls: 2
            )
        ]
    }

    /// Encodes faults. The values are numbers and names, so encoding cannot fail.
    private static func encoded(_ faults: AppleFaults) -> [UInt8] {
        (try? JSONEncoder().encode(faults)).map(Array.init) ?? []
    }
}
