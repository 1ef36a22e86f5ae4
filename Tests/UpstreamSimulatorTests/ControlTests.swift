import Testing

@testable import UpstreamSimulator

/// The endpoints under /control, over real sockets.
struct ControlTests {
    private static func start() async throws -> RunningSimulator {
        var settings = GDTSimulator.Settings()
        settings.now = { Reporter.now * 1000 }
        return try await GDTSimulator.start(settings)
    }

    private static let keys = """
        [{"app_id":"111","advertiser_id":"222","sign_key":"0f1e2d3c4b5a6978",\
        "encrypt_key":"7d31c0a9e85f4b26"}]
        """

    @Test func showsWhatHappenedInOneOrder() async throws {
        let simulator = try await Self.start()
        let connection = try await TestConnection(port: simulator.port)
        #expect(await connection.ask(Reporter().target).ret == -12)
        let added = await connection.ask("/control/keys", method: "POST", body: Self.keys)
        #expect(added.body == #"{"added":1}"#)
        let body = #"{"cut_after":{"next":0},"wrong_rets":[{"ret":-15,"when":{"next":1}}]}"#
        #expect(await connection.ask("/control/faults", method: "POST", body: body).body == body)
        for ret in [-15, 0, 0] {
            #expect(await connection.ask(Reporter().target).ret == ret)
        }
        let stats = await connection.ask("/control/stats")
        #expect(
            stats.body == """
                {"accepted":2,"connections":1,"distinct_accepted":1,"duplicates":1,"faults":{"wrong_ret":1},\
                "open_connections":1,"requests":4,"rets":{"-12":1,"-15":1,"0":2},"scripted":0,"unread_scripts":0}
                """
        )
        let accepted = await connection.ask("/control/accepted")
        #expect(
            accepted.body == """
                [{"app_id":"111","conversion_type":"MOBILEAPP_ACTIVITE","count":2,"muid":"\(Reporter.muid(0))"}]
                """
        )
        await simulator.stop()
    }

    @Test func readsEverySwitch() async throws {
        let body = """
            {"cut_after":{"probability":0.5},"cut_before":{"next":1},"hang":{"for_milliseconds":5},\
            "latency":{"jitter_milliseconds":2,"milliseconds":1},"proxy_page":{},\
            "server_error":{"status":500,"when":{"next":1}},\
            "throttle":{"retry_after_seconds":3,"status":503,"when":{"for_milliseconds":9}},"truncated":{},\
            "wrong_rets":[{"app_id":"1","conversion_type":"a","muid_prefix":"b","ret":-12,"when":{"next":1}}]}
            """
        let simulator = try await Self.start()
        let answer = await TestConnection.ask(
            simulator.port,
            "/control/faults",
            method: "POST",
            body: body
        )
        #expect(answer.status == 200)
        #expect(answer.body == body)
        await simulator.stop()
    }

    @Test(arguments: [
        ("/control/faults", "", "not"), ("/control/faults", "[", "not"),
        ("/control/faults", #"{"cutbefore":{}}"#, "unknown key cutbefore"),
        ("/control/faults", #"{"hang":{"nxt":1}}"#, "unknown key nxt"),
        ("/control/faults", #"{"wrong_rets":[{"ret":1},{"ret":1,"app":"x"}]}"#, "unknown key app"),
        ("/control/faults", #"{"throttle":{}}"#, "retry_after_seconds"),
        ("/control/keys", #"[{"app_id":"1"}]"#, "advertiser_id"),
    ])
    func refusesWhatItDoesNotUnderstand(path: String, body: String, reason: String) async throws {
        let simulator = try await Self.start()
        let answer = await TestConnection.ask(simulator.port, path, method: "POST", body: body)
        #expect(answer.status == 400)
        #expect(answer.body.contains(reason), "\(answer.body)")
        await simulator.stop()
    }

    @Test(arguments: [
        ("GET", "/control/faults", 405), ("POST", "/control/stats", 405), ("GET", "/control/x", 404),
    ])
    func knowsItsEndpoints(method: String, path: String, status: Int) async throws {
        let simulator = try await Self.start()
        #expect(await TestConnection.ask(simulator.port, path, method: method).status == status)
        #expect(simulator.stats().requests == 0)
        await simulator.stop()
    }
}
