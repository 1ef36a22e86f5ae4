import ArgumentParser
import EventThread
import Fleet
import Foundation
import Harness
import ServiceKit
import Terminal
import Trials

/// `flotilla-lab bench`: runs one worker, as a program that can be compared with other programs that have the same
/// interface.
///
/// The command writes settings, runs the worker until a given number of records is settled, and passes on the
/// worker's summary: a line of JSON with records per second, CPU microseconds per record and peak resident
/// memory.
struct BenchCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Run a worker over COUNT records of a topic, and print what it took as a line of JSON.",
        discussion: """
            The topic, its .result and its .dead-letter must exist; the records in it must be activations of app \
            \(DemoAccount.appID) and advertiser \(DemoAccount.advertiserID), and the upstream at URL must accept \
            every report. The worker, its settings and its measures are those of 'activation-worker run --stop-after \
            COUNT --summary'. With --route marketing_api, URL is the Marketing API; its account \
            \(DemoAccount.advertiserID) has the data source 1 and the token "token". INFLIGHT is then the number of \
            requests, each of up to 50 records.
            """
    )

    @Argument(help: "The cluster, host:port[,host:port…].")
    var brokers: String

    @Argument(help: "The topic to consume.")
    var topic: String

    @Argument(help: "How many records to settle.")
    var count: Int

    @Argument(help: "Calls in flight.")
    var inflight: Int

    @Argument(help: "The upstream; a path is left away.")
    var url: String

    /// The route of the reports.
    enum Route: String, CaseIterable, ExpressibleByArgument {
        case gdt
        case marketing = "marketing_api"
    }

    @Option(help: "Where reports go: gdt or marketing_api.")
    var route = Route.gdt

    func validate() throws {
        guard self.count > 0, self.inflight > 0 else {
            throw ValidationError("COUNT and INFLIGHT are numbers from 1.")
        }
    }

    func carryOut(until wish: StopWish) throws {
        throw ExitCode(try self.measure(wish))
    }

    private func measure(_ wish: StopWish) throws -> Int32 {
        let folder = try TemporaryFolder()
        let name = "bench.yaml"
        defer { folder.remove() }
        try folder.write(try self.settings, to: name)
        let worker = try ChildProcess(
            try Sibling.path(of: Roster.activation.name),
            ["run", "--config", folder.file(name), "--stop-after", String(self.count), "--summary"],
            streams: .inherited
        )
        var asked = 0
        while worker.exit == nil {
            var wait = Wait(on: worker.descriptors + [wish.descriptor])
            wait(atMost: .seconds(3_600))
            worker.serve()
            while asked < wish.count {
                asked += 1
                worker.terminate()
            }
        }
        return worker.exit?.shellCode ?? 1
    }

    private var settings: String {
        get throws {
            guard let target = URLComponents(string: self.url), let scheme = target.scheme,
                let host = target.host
            else { throw Complaint("'\(self.url)' is not a URL") }
            let origin = "\(scheme)://\(host)" + (target.port.map { ":\($0)" } ?? "")
            return """
                kafka:
                  brokers: \(self.brokers)
                  topic: \(self.topic)
                  fetch_wait: 5ms
                  session_timeout: 6s
                worker:
                  concurrency: \(self.inflight)
                http:
                  timeout: 60s
                gdt:
                  url: \(origin)
                  maximum_age: 36500d
                  apps:
                    - app_id: \(DemoAccount.appID)
                      advertiser_id: \(DemoAccount.advertiserID)
                \(self.routeSettings(origin))
                health:
                  host: 127.0.0.1
                  port: 0
                log:
                  format: text
                  level: warning

                """
        }
    }

    private func routeSettings(_ origin: String) -> String {
        switch self.route {
        case .gdt:
            """
                  sign_key: test_sign_key
                  encrypt_key: test_encrypt_key
            """
        case .marketing:
            """
                  route: marketing_api
                  user_action_set_id: 1
                  access_token: token
            marketing_api:
              url: \(origin)/v3.0
              requests: \(min(self.inflight, 1_000))
            """
        }
    }
}
