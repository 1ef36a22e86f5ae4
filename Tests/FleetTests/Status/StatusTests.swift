import Operations
import Terminal
import Testing

@testable import Fleet

/// `fleet status` from the text of the pages to the table.
struct StatusTests {
    private static let page = """
        # TYPE worker_build_info gauge
        worker_build_info{worker="activation-worker",version="0.1.0"} 1
        worker_partitions_assigned 4
        worker_partition_lag_records{topic="activation",partition="0"} 12000
        worker_partition_lag_records{topic="activation",partition="1"} 345
        worker_backlog_records 12100
        worker_records_inflight 32
        worker_oldest_unfinished_age_seconds{topic="activation",partition="0"} 4
        worker_oldest_unfinished_age_seconds{topic="activation",partition="1"} 7260
        worker_records_total{outcome="succeeded"} 1000
        worker_records_total{outcome="rejected"} 10
        worker_records_total{outcome="skipped"} 99
        worker_upstream_requests_total{upstream="gdt",status="200"} 1010
        worker_dead_letters_total{class="rejected",reason="gdt.-1"} 3
        worker_circuit_state{upstream="gdt",endpoint="t.gdt.qq.com"} 2
        worker_circuit_state{upstream="gdt",endpoint="api.e.qq.com"} 0
        worker_lane_held{lane="112233",reason="gdt.-2"} 1
        worker_lane_records_parked{lane="112233"} 40
        worker_lane_records_parked{lane="445566"} 0
        worker_parking_tickets 300
        worker_parking_oldest_age_seconds 7300
        worker_stream_records_total 5

        """

    private static func sight(
        _ page: String = Self.page,
        status: Int = 200,
        readiness: String = #"{"status":"ready"}"#
    ) -> WorkerSight {
        WorkerSight(
            "http://127.0.0.1:9090",
            status: status,
            readiness: Array(readiness.utf8),
            metrics: Array(page.utf8)
        )
    }

    @Test func readsTheFiguresOfAPage() throws {
        let figures = try #require(Self.sight().figures)
        #expect(figures.name == "activation-worker")
        #expect(figures.version == "0.1.0")
        #expect(figures.partitions == 4)
        #expect(figures.lag == 12_345)
        #expect(figures.backlog == 12_100)
        #expect(figures.inFlight == 32)
        #expect(figures.parked == 300)
        #expect(figures.oldestUnfinished == 7_260)
        #expect(figures.counters == .init(settled: 1_010, calls: 1_010, deadLetters: 3))
        #expect(figures.endpoints.map(\.breaker) == [.closed, .open])
        #expect(figures.lanes == [.init(name: "112233", reason: "gdt.-2", waiting: 40)])
    }

    /// A worker of the engine of states has neither calls nor a gauge of its partitions.
    @Test func readsAWorkerThatCallsNoUpstream() throws {
        let page = """
            worker_build_info{worker="push-arrival-worker",version="0.1.0"} 1
            worker_partition_next_offset{topic="push-arrival",partition="0"} 7
            worker_partition_next_offset{topic="push-arrival",partition="1"} 9
            worker_stream_records_total 16
            push_events_total{result="dead_lettered"} 2
            push_events_total{result="accepted"} 14
            """
        let figures = try #require(Self.sight(page).figures)
        #expect(figures.partitions == 2)
        #expect(figures.lag == nil)
        #expect(figures.counters == .init(settled: 16, calls: 0, deadLetters: 2))
    }

    @Test func saysWhyAWorkerIsNotReady() {
        let told = Self.sight(status: 503, readiness: #"{"status":"not ready","reason":"no partitions"}"#)
        #expect(told.condition == .notReady("no partitions"))
        #expect(
            Self.sight(status: 503, readiness: #"{"status":"draining"}"#).condition == .notReady("draining")
        )
        #expect(
            Self.sight(status: 502, readiness: "<html>").condition
                == .notReady("/readyz answers with status 502")
        )
    }

    /// Prometheus itself, say, when somebody has mixed up two ports.
    @Test func doesNotTakeAnotherProgramForAWorker() {
        guard case .silent = Self.sight("up 1\n").condition else {
            Issue.record("A page of another program is taken for a worker.")
            return
        }
    }

    @Test func ratesAreThoseBetweenTwoLooks() {
        let earlier = Self.sight()
        var later = Self.sight(Self.page.replacing(#""succeeded"} 1000"#, with: #""succeeded"} 1500"#))
        later.compare(with: earlier, seconds: 2)
        #expect(later.rates == .init(settled: 250, calls: 0, deadLetters: 0))
        // A process that has started anew counts from zero: there is no rate, and none below zero.
        var restarted = earlier
        restarted.compare(with: later, seconds: 2)
        #expect(restarted.rates == nil)
    }

    @Test func fitsIntoEightyColumns() {
        var busy = Self.sight()
        busy.rates = .init(settled: 123_456.7, calls: 99_999, deadLetters: 0.01)
        let lanes = (0..<20).map {
            "worker_lane_held{lane=\"\($0)\",reason=\"\(String(repeating: "x", count: 200))\"} 1"
        }
        let crowded = Self.sight(
            Self.page.replacing("activation-worker", with: String(repeating: "long-name-", count: 9))
                .replacing(" 12000", with: " 9e14") + lanes.joined(separator: "\n"),
            status: 503,
            readiness:
                #"{"status":"not ready","reason":"\#(String(repeating: "a reason with words ", count: 20))"}"#
        )
        let silent = WorkerSight(
            "http://\(String(repeating: "h", count: 99)):9090",
            silence: "nothing listens there"
        )
        let table = StatusTable([busy, busy, crowded, silent])
        for line in table.lines {
            let text = line.map(\.text).joined()
            #expect(text.count <= 80, "\(text)")
        }
        let plain = table.text(on: Display(isTerminal: false, hasColour: false))
        #expect(!plain.contains("\u{1B}"))
        #expect(plain.hasSuffix("2 of 4 workers are ready\n"))
        #expect(plain.contains("and 13 lanes more"))
        #expect(
            table.text(on: Display(isTerminal: true, hasColour: true)).contains("\u{1B}[31msilent\u{1B}[0m")
        )
    }

    @Test func showsAWorkerAsATable() {
        var sight = Self.sight()
        sight.rates = .init(settled: 250, calls: 251.4, deadLetters: 0)
        let expected = """
            WORKER                     STATE     PART     LAG FLIGHT   REC/S LETTERS OLDEST
            activation-worker 0.1.0    ready        4   12.3k     32     250       3     2h
              endpoint t.gdt.qq.com: breaker open
              lane 112233: held (gdt.-2), 40 waiting in memory
              parked: 300, the oldest for 2h
              251 calls/s
            1 of 1 worker is ready

            """
        #expect(StatusTable([sight]).text(on: Display(isTerminal: false, hasColour: false)) == expected)
    }

    /// A label comes from a settings file, a reason from an upstream: neither may speak to the terminal.
    @Test func showsNoEscapeSequences() {
        let page = Self.page.replacing("112233", with: "\u{1B}[2J")
        let text = StatusTable([Self.sight(page)]).text(on: Display(isTerminal: false, hasColour: false))
        #expect(!text.contains("\u{1B}"))
    }

    @Test(arguments: [
        (0, "0"), (9_999, "9999"), (10_000, "10.0k"), (99_949, "99.9k"), (99_960, "100k"), (999_600, "1.0M"),
        (123_456_789, "123M"), (999_999_999_999, ">999G"),
    ])
    func countsAreShort(number: Int, text: String) { #expect(ShownText.count(number) == text) }

    @Test(arguments: [
        (0.0, "0"), (0.01, "<0.1"), (0.25, "0.3"), (5.0, "5"), (9.96, "10"), (250.4, "250"),
        (9_999.6, "10.0k"),
    ])
    func ratesAreShort(number: Double, text: String) { #expect(ShownText.rate(number) == text) }

    @Test(arguments: [(0, "0s"), (59, "59s"), (60, "1m"), (7_260, "2h"), (172_799, "47h"), (172_800, "2d")])
    func agesAreShort(seconds: Int, text: String) { #expect(ShownText.age(seconds) == text) }

    @Test(arguments: [
        ("127.0.0.1:9090", "http://127.0.0.1:9090"), ("http://worker-0:9090/metrics", "http://worker-0:9090"),
        ("http://[::1]:80/", "http://[::1]:80"),
    ])
    func readsAddresses(text: String, address: String) {
        #expect(WorkerAddress(text)?.description == address)
    }

    @Test(arguments: [
        "", "host", ":9090", "host:0", "host:65536", "https://host:1", "user@host:1", "host:1/x", "h\u{1B}:1",
    ])
    func refusesWhatIsNoAddress(text: String) { #expect(WorkerAddress(text) == nil) }
}
