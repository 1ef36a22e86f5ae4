import Foundation
import TestMaterial
import Testing

@testable import UpstreamSimulator

/// The simulator's answers to each request, decided as Apple's answers are known. The tokens are of the vectors.
@Suite struct DeviceCheckSimulatorTests {
    static let publicKey = TestKey.usual.publicPEM
    private static let head = "eyJhbGciOiJFUzI1NiIsImtpZCI6IkRDVEVTVEtFWTEiLCJ0eXAiOiJKV1QifQ"
    private static let claims = "eyJpc3MiOiJURUFNSUQxMjM0IiwiaWF0IjoxNzAwMDAwMDAwfQ"
    private static let good =
        "qTOhqpAXY3CMePCtWkal1Rh_DAyRaNPToa8eufdRyjVpv9r2XeTeXCw15jpQfj27gvAXflQr8eLd75dRdkGFeg"
    private static let der =
        "MEUCIQCpM6GqkBdjcIx48K1aRqXVGH8MDJFo09Ohrx6591HKNQIgab_a9l3k3lwsNeY6UH49u4LwF35UK_Hi3e-XUXZBhXo"
    private static let ofAnotherKey =
        "dQ5o78GWQ8J2VZEghrMyse5q0V7TwK_xdwda8ebtNjE6mU2ExXXbBcSCEDYD7aiDj-BgTkVTTq1jFXU0F4tnhw"
    private static let inMilliseconds =
        "\(head).eyJpc3MiOiJURUFNSUQxMjM0IiwiaWF0IjoxNzAwMDAwMDAwMDAwfQ."
        + "AbpdBId3PEmDrH3PYLQ0OOaPghzT105U-EdCaamROJVWBoy3PiaMUsAJFSpNOIm1lIi13t0QNzhUzXKb4EfZcA"
    private static let bearer = "Bearer \(head).\(claims).\(good)"

    /// A minute after the token was issued.
    private static let now: Int64 = 1_700_000_060_000
    private static let body =
        #"{"device_token":"AgAAAHRlc3Q=","transaction_id":"t","timestamp":1700000060000}"#

    private static func api(_ change: (inout DeviceCheckTeam) -> Void = { _ in }) -> DeviceCheckState {
        var team = DeviceCheckTeam(teamID: "TEAMID1234", keyID: "DCTESTKEY1", publicKeyPEM: Self.publicKey)
        change(&team)
        var api = DeviceCheckState(DeviceCheckSimulator.Rules())
        api.set([team])
        return api
    }

    private static func request(
        _ body: String = body,
        path: String = "/v1/query_two_bits",
        method: String = "POST",
        authorization: String? = bearer
    ) -> DeviceCheckState.Request {
        DeviceCheckState.Request(
            method: method,
            path: path,
            authorization: authorization,
            body: Array(body.utf8)
        )
    }

    @Test(
        arguments: [
            (bearer, now, .neverSet), (nil, now, .badAuthorization), ("Bearer", now, .badAuthorization),
            ("Basic \(head).\(claims).\(good)", now, .badAuthorization),
            ("Bearer a.b.c", now, .badAuthorization),
            ("\(bearer)=", now, .badAuthorization), ("\(bearer).x", now, .badAuthorization),
            ("Bearer \(head).\(claims).\(der)", now, .unverified),
            ("Bearer \(head).\(claims).\(ofAnotherKey)", now, .unverified),
            ("Bearer \(head).\(claims).", now, .unverified), ("Bearer \(inMilliseconds)", now, .unverified),
            (bearer, 1_699_999_999_999, .unverified), (bearer, 1_700_003_600_999, .badTimestamp),
            (bearer, 1_700_003_601_000, .expired),
        ] as [(String?, Int64, AppleReply)]
    )
    func judgesTheAuthorizationFirst(authorization: String?, now: Int64, expected: AppleReply) {
        var api = Self.api()
        #expect(api.answer(Self.request(authorization: authorization), now: now) == expected)
    }

    @Test func knowsTeamsAndKeys() {
        var another = Self.api { $0.teamID = "OTHERTEAM1" }
        #expect(another.answer(Self.request(), now: Self.now) == .unverified)
        var unknown = Self.api { $0.keyID = "OTHERKEY01" }
        #expect(unknown.answer(Self.request(), now: Self.now) == .unverified)
        var service = Self.api { $0.hasDeviceCheck = false }
        #expect(service.answer(Self.request(), now: Self.now) == .badAuthorization)
        var broken = Self.api { $0.publicKeyPEM = "nonsense" }
        #expect(broken.answer(Self.request(), now: Self.now) == .unverified)
    }

    @Test(
        arguments: [
            (body, "/v1/validate_device_token", .done), (body, "/v1/other", .notFound),
            (body, "/", .notFound),
            ("", "/v1/query_two_bits", .badPayload), ("[]", "/v1/query_two_bits", .badPayload),
            (body.replacing("\"AgAAAHRlc3Q=\"", with: "1"), "/v1/query_two_bits", .badPayload),
            (body.replacing("AgAAAHRlc3Q=", with: ""), "/v1/query_two_bits", .badDeviceToken),
            (body.replacing("AgAAAHRlc3Q=", with: "AgAA\\nAHRl"), "/v1/query_two_bits", .badDeviceToken),
            (body.replacing("AgAAAHRlc3Q=", with: "AgA_-Q=="), "/v1/query_two_bits", .badDeviceToken),
            (body.replacing("\"t\"", with: "\"\""), "/v1/query_two_bits", .badTransaction),
            (body.replacing("\"transaction_id\":\"t\",", with: ""), "/v1/query_two_bits", .badTransaction),
            // Seconds for milliseconds, the classic error.
            (body.replacing("1700000060000", with: "1700000060"), "/v1/query_two_bits", .badTimestamp),
            (body.replacing("1700000060000", with: "1700000120001"), "/v1/query_two_bits", .badTimestamp),
            (body, "/v1/update_two_bits", .badBits),
            (body.replacing("}", with: #","bit0":1}"#), "/v1/update_two_bits", .badBits),
            (body.replacing("}", with: #","bit_0":true}"#), "/v1/update_two_bits", .badBits),
            (body.replacing("}", with: #","bit0":true}"#), "/v1/update_two_bits", .done),
        ] as [(String, String, AppleReply)]
    )
    func judgesTheBody(body: String, path: String, expected: AppleReply) {
        var api = Self.api()
        #expect(api.answer(Self.request(body, path: path), now: Self.now) == expected)
        #expect(api.requests == 1 && api.calls.first?.status == expected.status)
    }

    @Test func onlyPOSTIsAllowed() {
        var api = Self.api()
        #expect(api.answer(Self.request(method: "GET"), now: Self.now) == .notAllowed)
    }

    @Test func keepsBitsByDeviceAndEnvironmentToTheMonth() {
        var api = Self.api()
        let update = Self.body.replacing("}", with: #","bit1":true}"#)
        #expect(api.answer(Self.request(update, path: "/v1/update_two_bits"), now: Self.now) == .done)
        let state = api.answer(Self.request(), now: Self.now)
        #expect(state.text == #"{"bit0":false,"bit1":true,"last_update_time":"2023-11"}"#)
        let other = Self.body.replacing("AgAAAHRlc3Q=", with: "AgAA")
        #expect(api.answer(Self.request(other), now: Self.now) == .neverSet)
        #expect(api.answer(Self.request(path: "/development/v1/query_two_bits"), now: Self.now) == .neverSet)
        #expect(api.devices.count == 1 && api.devices.first?.updates == 1)
    }

    @Test func aReadableTokenExpiresAndBelongsToOneEnvironment() {
        var api = Self.api()
        func answer(_ token: SimulatedDeviceToken, _ path: String = "/v1/query_two_bits") -> AppleReply {
            let body = Self.body.replacing("AgAAAHRlc3Q=", with: token.base64)
            return api.answer(Self.request(body, path: path), now: Self.now)
        }
        #expect(answer(.init(device: "a", environment: "production", madeAt: Self.now - 60_000)) == .neverSet)
        #expect(answer(.init(device: "a", madeAt: Self.now - 60_001)) == .badDeviceToken)
        #expect(answer(.init(device: "a", environment: "development")) == .badDeviceToken)
        let development = SimulatedDeviceToken(device: "a", environment: "development")
        #expect(answer(development, "/development/v1/query_two_bits") == .neverSet)
        #expect(api.calls.last?.device == "a")
    }

    @Test func keepsNoMoreCallsThanItMay() {
        var rules = DeviceCheckSimulator.Rules()
        rules.callsKept = 10
        var api = DeviceCheckState(rules)
        for _ in 0..<100 { _ = api.answer(Self.request(), now: Self.now) }
        #expect(api.calls.count <= 10 && api.requests == 100)
    }

    // MARK: over the wire

    @Test func answersOverHTTPAndAtTheDesk() async throws {
        let simulator = try await DeviceCheckSimulator.start(.init())
        let url = try #require(URL(string: simulator.url))
        let (health, _) = try await Self.send(url, "GET", "healthz")
        #expect(health == 200)
        let faults =
            #"{"server_error":{"status":502,"when":{"next":1}},"wrong_answers":[{"status":400,"text":"x"}]}"#
        #expect(try await Self.send(url, "POST", "control/faults", faults).0 == 200)
        #expect(try await Self.send(url, "POST", "v1/query_two_bits").0 == 502)
        let wrong = try await Self.send(url, "POST", "v1/query_two_bits")
        #expect(wrong.0 == 400 && wrong.1 == "x")
        #expect(try await Self.send(url, "POST", "control/faults", "{}").0 == 200)
        let honest = try await Self.send(url, "POST", "v1/query_two_bits")
        #expect(honest.0 == 400 && honest.1 == "Missing or badly formatted authorization token")
        #expect(try await Self.send(url, "POST", "control/faults", #"{"laten":1}"#).0 == 400)
        #expect(try await Self.send(url, "GET", "control/faults").0 == 405)
        #expect(try await Self.send(url, "GET", "control/none").0 == 404)
        #expect(try await Self.send(url, "POST", "control/teams", "[]").0 == 200)
        let stats = try await Self.send(url, "GET", "control/stats").1
        #expect(stats.contains(#""requests":3"#) && stats.contains(#""server_error":1"#), "\(stats)")
        #expect(simulator.stats().answers == ["400": 2, "502": 1])
        #expect(simulator.stats().accepted == 0)
        await simulator.stop()
    }

    private static func send(_ base: URL, _ method: String, _ path: String, _ body: String = "") async throws
        -> (Int, String)
    {
        let answer = await TestConnection.ask(base.port ?? 0, "/\(path)", method: method, body: body)
        return (answer.status ?? 0, answer.body)
    }
}
