import Foundation
import Harness
import Records
import UpstreamSimulator
import WireFormats

// The steps with failing calls, and their faults.
extension DeviceChecks {
    /// The faults of the next step, as JSON. Each operation and environment has a fault of its own, so that
    /// it is known which record each fault hits.
    static var troubles: [UInt8] {
        var faults = AppleFaults()
        faults.wrongAnswers = [
            .init(status: 400, text: "The reason is unknown", path: "/development/v1/query_two_bits"),
            .init(status: 503, text: "", path: "/development/v1/update_two_bits"),
            .init(status: 503, text: "", path: "/v1/query_two_bits", when: Dose(next: 2)),
            .init(
                status: 401,
                text: "Authorization Token Expired",
                path: "/v1/update_two_bits",
                when: Dose(next: 1)
            ),
            .init(status: 200, text: "<html>", path: "/v1/validate_device_token", when: Dose(next: 1)),
        ]
        // The values are numbers and names, so encoding cannot fail.
        return (try? JSONEncoder().encode(faults)).map(Array.init) ?? []
    }

    mutating func troubled() -> [Sample] {
        let update = self.update("mia", [true, false], leaving: [true, false])
        let unlucky = self.change("noa", [true, true], in: "development")
        return [
            .good(
                "503 twice",
                self.record(self.message(.query, "lou"), of: "lou"),
                word: "not_set",
                calls: 3
            ),
            .good(
                "our own token has expired",
                self.record(update, of: "mia"),
                word: "updated",
                detail: "bits 1 0",
                calls: 2,
                followUps: 1
            ),
            .good(
                "a proxy's page instead",
                self.record(self.message(.validate, "oli"), of: "oli"),
                word: "valid",
                calls: 2
            ),
            .refused(
                "503 until the token is old",
                self.record(unlucky, of: "noa"),
                word: "unavailable",
                because: "http.503",
                calls: 5
            ),
            .refused(
                "refused, nobody knows why",
                self.record(self.message(.query, "pia", in: "development"), of: "pia"),
                word: "unavailable",
                because: "devicecheck.unexplained",
                calls: 3
            ),
        ]
    }
}
