import ArgumentParser
import Harness
import ServiceKit
import Terminal
import Trials
import WorkerKit

/// `flotilla-lab chaos`: runs real processes under a schedule of failures, and checks every input afterwards.
struct ChaosCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "chaos",
        abstract:
            "Run a fleet under kills, pauses, outages and a failing broker, and count what came of every input.",
        discussion: """
            Broker, simulator and workers are processes of their own. One seed decides what goes wrong and when: kill \
            -9, SIGSTOP and SIGCONT, workers that come and go, outages of the upstream, a broker that is slow, refuses, \
            forgets to answer and moves its coordinators, producers with a small queue. Everything is healed before the \
            end. Then every input is looked for in the topics, by a reader of its own. The exit code is 0 only if none is \
            lost, none is out of order, no outage has made a dead letter, no honest user was late beside an adversary, \
            and, with exactly-once, nothing is there twice.
            """
    )

    @Option(help: "How long things go wrong, in minutes.")
    var minutes: Int?

    @Option(help: "How long things go wrong, in seconds; 60 if neither is said.")
    var seconds: Int?

    @Option(help: "Decides everything that goes wrong; any number by default.")
    var seed: UInt64?

    @Option(help: "The promise of the workers: at-least-once or exactly-once.")
    var delivery = EngineSettings.Delivery.exactlyOnce

    @Option(help: "How many workers there are.")
    var workers = 3

    @Option(
        help:
            "A real cluster, host:port[,host:port…], which is not made to fail; topics are made and removed."
    )
    var brokers: String?

    @Option(help: "Inputs a second; beside an adversary a tenth as many receipts and pushes, or 10.")
    var rate = 300

    @Flag(
        help: """
            Have others publish beside the load: honest users, who are judged by the time their records take, poison, \
            floods of malformed, empty and large records, timestamps that are years off, and an account that GDT does not know \
            at first. The topic gets more partitions, and the group is moved back. And have receipts verified too: those of \
            honest users in production, who are judged in the same way, while the sandbox is dead for most of the run and \
            flooded with others. And have push events counted, beside a device that invents messages.
            """
    )
    var adversary = false

    @Flag(
        help: """
            Have conversions come as uploads to a gateway, which the intake takes apart, and as records with callbacks, and \
            have them reported to the Marketing API, which must have each once by its outer_action_id in the end. --rate \
            is then conversions a second, none of which is left out.
            """
    )
    var routes = false

    @Option(
        help: ArgumentHelp(
            "The longest time that honest users may wait, 99 of 100 of them; more on a machine with other work.",
            valueName: "seconds"
        )
    )
    var lateAfter = Int(ChaosOptions.usualBound.components.seconds)

    @Option(help: ArgumentHelp("Write the workers' logs into this folder.", valueName: "folder"))
    var logs: String?

    private var length: Duration { .seconds(self.seconds ?? (self.minutes ?? 1) * 60) }

    private var options: ChaosOptions {
        ChaosOptions(
            length: self.length,
            seed: self.seed ?? .random(in: 0..<1_000_000),
            delivery: self.delivery,
            workers: self.workers,
            brokers: self.brokers,
            rate: self.rate,
            hasAdversary: self.adversary,
            hasRoutes: self.routes,
            lateAfter: .seconds(self.lateAfter),
            logs: self.logs
        )
    }

    func validate() throws {
        guard self.minutes == nil || self.seconds == nil else {
            throw ValidationError("Either --minutes or --seconds.")
        }
        guard !self.routes || !self.adversary else {
            throw ValidationError("Either --routes or --adversary.")
        }
        guard (1...1_440).contains(self.minutes ?? 1), (10...86_400).contains(self.seconds ?? 60) else {
            throw ValidationError("A run takes from 10 seconds to a day.")
        }
        guard (1...3_600).contains(self.lateAfter) else {
            throw ValidationError("--late-after is from 1 to 3600.")
        }
        guard (1...50).contains(self.workers) else { throw ValidationError("--workers is from 1 to 50.") }
        guard (1...100_000).contains(self.rate) else { throw ValidationError("--rate is from 1 to 100000.") }
        guard self.options.inputs <= ChaosOptions.inputsLimit else {
            throw ValidationError(
                "That would be more than \(ChaosOptions.inputsLimit) inputs; take a lower --rate."
            )
        }
    }

    func carryOut(until wish: StopWish) throws {
        let code = Chaos(self.options, wish).run()
        guard code == 0 else { throw ExitCode(code) }
    }
}

extension EngineSettings.Delivery: ExpressibleByArgument {}
