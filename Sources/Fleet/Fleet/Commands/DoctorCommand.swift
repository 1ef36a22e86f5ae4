import ArgumentParser
import Kafka
import ServiceKit
import Terminal

/// `fleet doctor`: checks everything that a worker needs from outside.
struct DoctorCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract:
            "Check settings, keys, cluster, topics, clocks and upstreams of a worker or the gateway, with remedies.",
        discussion: """
            Checks everything that 'fleet preflight' does, and besides: the worker's own settings with its keys, \
            the retention of input and dead letters, clocks, and the upstreams (name, connection, TLS handshake, \
            end of the certificate). It writes no record and sends no request. Run it where the worker runs. The \
            exit code is 1 if there is a fault.
            """
    )

    @OptionGroup var options: WorkerOptions

    @Option(help: ArgumentHelp("How long each may take to answer.", valueName: "seconds"))
    var wait = 10

    @Flag(help: "Leave the upstreams alone.")
    var skipUpstreams = false

    func validate() throws {
        guard (1...600).contains(self.wait) else { throw ValidationError("--wait is from 1 to 600 seconds.") }
    }

    private var longest: Duration { .seconds(self.wait) }

    func carryOut(until wish: StopWish) throws {
        let own = try OwnSettings(self.options.config, of: self.options.worker)
        var isWell = self.tell(own.findings)
        isWell = try self.tell(self.cluster(own)) && isWell
        if !self.skipUpstreams {
            let now = Moment.now.wall / 1_000
            for (key, url) in own.urls where wish.count == 0 {
                let check = UpstreamCheck(
                    key: key,
                    url: url,
                    certificateAuthorityFile: own.certificateAuthorityFile,
                    longest: self.longest
                )
                isWell = self.tell([check.finding(now: now)]) && isWell
            }
        }
        guard isWell else { throw ExitCode(1) }
    }

    /// Prints findings.
    ///
    /// - Returns: whether there is no fault among them.
    private func tell(_ findings: [Finding]) -> Bool {
        for finding in findings { Console.line(finding.line) }
        return !findings.contains { $0.verdict == .fault }
    }

    /// Checks the cluster: first as the preflight does, and then what takes longer.
    private func cluster(_ own: OwnSettings) throws -> [Finding] {
        let isGateway = self.options.worker == Roster.gateway.name
        let faults = try self.faultsOfWorker()
        guard faults.isEmpty else {
            // Faults of settings have been told already, and there are no more checks after them.
            let told = own.findings.map(\.text)
            return faults.filter { !told.contains($0) }.map { Finding(.fault, "preflight", saying: $0) }
        }
        let file = try WorkerFile(self.options.config, of: self.options.worker)
        let log = try LogReader(file.kafka.readerProperties.merging(["log_level": "0"]) { $1 })
        var findings = [Finding(.good, "preflight", saying: "the cluster answers and has the topics")]
        do {
            let counts = try log.metadata(atMost: self.longest).partitionCounts
            let names = file.topics.map(\.name).filter { counts[$0, default: 0] > 0 }
            findings += RetentionCheck.findings(
                file.topics,
                settings: try log.settings(of: names, atMost: self.longest),
                deadline: own.deadline
            )
            let clocks = ClockCheck(log: log, patience: self.longest)
            for topic in isGateway ? names : [file.kafka.topic, file.kafka.resultTopic] {
                findings.append(try clocks.finding(of: topic, partitions: counts[topic] ?? 0))
            }
        } catch {
            findings.append(Finding(.unchecked, "retention and clocks", saying: "\(error)"))
        }
        return findings
    }

    private func faultsOfWorker() throws -> [String] {
        var preflight = PreflightCommand()
        preflight.config = self.options.config
        preflight.worker = self.options.worker
        preflight.wait = self.wait
        return try preflight.faults()
    }
}
