import Records
import WireFormats
import WireMessages

// The records of each step. Each device is used in one step only, so that its bits depend on that step alone.
extension DeviceChecks {
    mutating func good() -> [Sample] {
        func query(_ device: String) -> OutboundRecord {
            self.record(self.message(.query, device), of: device)
        }
        let both = self.update("anna", [true, false], leaving: [true, false])
        let one = self.update("anna", [nil, true], leaving: [true, true])
        let first = self.update("ben", [nil, true], leaving: [false, true])
        let development = self.update("anna", [true, true], leaving: [true, true], in: "development")
        return [
            .good("Anna's: never asked before", query("anna"), word: "not_set"),
            .good("Anna's: set both", self.record(both, of: "anna"), word: "updated", detail: "bits 1 0"),
            .good("Anna's: which are they?", query("anna"), word: "state", detail: "bits 1 0"),
            .good(
                "Anna's: set one, keep one",
                self.record(one, of: "anna"),
                word: "updated",
                detail: "bits 1 1",
                calls: 2,
                followUps: 1,
                accepted: 2
            ),
            .good("Anna's: and now?", query("anna"), word: "state", detail: "bits 1 1"),
            .good(
                "Ben's: set one of none",
                self.record(first, of: "ben", as: .protobuf),
                word: "updated",
                detail: "bits 0 1",
                calls: 2,
                followUps: 1,
                accepted: 2
            ),
            .good(
                "Cara's: a real device?",
                self.record(self.message(.validate, "cara"), of: "cara"),
                word: "valid"
            ),
            .good(
                "a build from Xcode: set both",
                self.record(development, of: "xcode"),
                word: "updated",
                detail: "bits 1 1"
            ),
        ]
    }

    mutating func refused() -> [Sample] {
        var garbled = self.message(.query, "eve")
        garbled.deviceToken = "this is no base64"
        var foreign = self.message(.query, "finn", in: "development")
        foreign.environment = "production"
        var late = self.record(self.message(.query, "gus"), of: "gus")
        late.timestamp = self.now - 10 * 60_000
        var environment = self.message(.query, "kim")
        environment.environment = "staging"
        let newer = self.update("dora", [true, true], leaving: [true, true], requestedAt: self.now)
        let older = self.change("dora", [false, false], requestedAt: self.now - 5_000)
        return [
            .good(
                "Dora's: set both, just now",
                self.record(newer, of: "dora"),
                word: "updated",
                detail: "bits 1 1"
            ),
            .refused(
                "Dora's: an older one, late",
                self.record(older, of: "dora"),
                word: "superseded",
                because: "update.superseded"
            ),
            .refused(
                "a token that can be none",
                self.record(garbled, of: "eve"),
                word: "invalid_token",
                because: "device_token.malformed"
            ),
            .refused(
                "a token from Xcode",
                self.record(foreign, of: "finn"),
                word: "invalid_token",
                because: "device_token.invalid",
                calls: 1
            ),
            .refused(
                "a token 90 seconds old",
                self.record(self.message(.query, "hal", age: 90_000), of: "hal"),
                word: "expired_token",
                because: "device_token.expired",
                calls: 1
            ),
            .refused(
                "a token of 7 minutes ago",
                self.record(self.message(.query, "ida", age: 7 * 60_000), of: "ida"),
                word: "expired_token",
                because: "device_token.too_old"
            ),
            .refused(
                "an unknown environment",
                self.record(environment, of: "kim"),
                word: "unavailable",
                because: "environment.unknown"
            ),
            .expired("published 10 minutes ago", late, as: "expired_token"),
        ]
    }

    func malformed() -> [Sample] {
        var operation = self.message(.query, "kim")
        operation.op = "delete"
        var query = self.message(.query, "kim")
        query.bit0 = true
        var stranger = self.message(.query, "kim")
        stranger.teamID = "OTHERTEAM1"
        func record(_ text: String?) -> OutboundRecord {
            OutboundRecord(
                topic: self.topic,
                key: Array("account-kim".utf8),
                value: text.map { Array($0.utf8) }
            )
        }
        return [
            .dead("tombstone", record(nil), as: .undecodable, because: "value.tombstone"),
            .dead(
                "JSON that ends early",
                record(#"{"op":"query","#),
                as: .undecodable,
                because: "value.not_json"
            ),
            .dead(
                "an unknown operation",
                self.record(operation, of: "kim"),
                as: .invalid,
                because: "op.unknown"
            ),
            .dead(
                "an update without bits",
                self.record(self.message(.update, "kim"), of: "kim"),
                as: .invalid,
                because: "bits.missing"
            ),
            .dead(
                "a query with bits",
                self.record(query, of: "kim"),
                as: .invalid,
                because: "bits.not_an_update"
            ),
            .dead(
                "a team without a key",
                self.record(stranger, of: "kim"),
                as: .invalid,
                because: "configuration.unknown_team"
            ),
        ]
    }
}
