import Kafka
import Logging
package import ServiceKit
import UpstreamHTTP

// An operator's choices: pauses, bounds on calls, a log of calls, and the order to try at once what waits.
//
// A pause stops no call that is in flight, and takes no record out of the waiting places where it is. Deadlines go on:
// a record whose deadline passes meanwhile expires.
extension Engine {
    /// The names of the endpoints, as an operator is shown them: the upstream's name for an endpoint without one.
    package var endpointNames: [String] {
        self.dispatch.gates.endpoints.map { self.shownName(of: $0.identity) }
    }

    private func shownName(of endpoint: UpstreamEndpoint) -> String {
        endpoint.name.isEmpty ? self.settings.upstream : endpoint.name
    }

    /// Obeys an operator from now on.
    package func obey(_ orders: OperatorDesk.Orders) {
        let before = self.orders
        self.orders = orders
        let choices = orders.choices
        self.dispatch.gates.obey(choices, at: self.now.monotonic) {
            choices.isPaused || choices.endpoints.contains(self.shownName(of: $0))
        }
        if choices.rate != before.choices.rate { self.askForShare() }
        if orders.releases != before.releases { self.tryWhatWaits() }
        if orders.callLog != before.callLog { self.callLog = CallLog(orders.callLog) }
        self.metrics.set(
            "worker_paused",
            choices.isPaused ? 1 : 0,
            labels: [("part", "worker"), ("name", "")]
        )
        self.show("lane", paused: choices.lanes, before: before.choices.lanes)
        self.show("endpoint", paused: choices.endpoints, before: before.choices.endpoints)
    }

    /// Asks for the number of all partitions, which nobody has needed as long as there was no rate. Without an answer the
    /// number stays as it is until the next assignment.
    private func askForShare() {
        guard self.dispatch.gates.shareRates, !self.assignments.isEmpty else { return }
        do throws(KafkaError) {
            self.consumedPartitions = max(1, try self.broker.partitionCount(of: self.settings.consumedTopics))
        } catch {
            self.logger.warning("the number of partitions is not known", metadata: ["error": "\(error)"])
        }
        self.shareRate()
    }

    private func show(_ part: String, paused now: Set<String>, before: Set<String>) {
        for name in before.subtracting(now) {
            self.metrics.set("worker_paused", 0, labels: [("part", part), ("name", name)])
        }
        for name in now.subtracting(before) {
            self.metrics.set("worker_paused", 1, labels: [("part", part), ("name", name)])
        }
    }

    /// Sends probes to held lanes and open breakers at once, and looks through the parked records for what may come
    /// back.
    private func tryWhatWaits() {
        self.dispatch.gates.probeNow(at: self.now.monotonic)
        for index in self.assignments.indices { self.assignments[index].parked.release() }
        self.unparking.nextVisit = .min
        self.unparking.nextProbes = .min
    }

    /// The pause of the whole worker, as a reason why it takes no work; nil without one.
    var pause: String? { self.orders.choices.isPaused ? "an operator has paused the worker" : nil }

    var pauseStall: StallWatch.Stall? {
        if let pause {
            return StallWatch.Stall(
                cause: "paused",
                description: pause,
                remedy: "'fleet admin resume' ends the pause"
            )
        }
        if let lane = self.dispatch.gates.lanes.paused.sorted().first(where: {
            self.dispatch.queues.held[$0] != nil
        }) {
            return StallWatch.Stall(
                cause: "paused",
                description: "an operator has paused the lane \(Self.shown(lane)), and records wait for it",
                remedy: "'fleet admin resume --lane' ends the pause"
            )
        }
        let paused = self.dispatch.gates.endpoints.indices.first {
            self.dispatch.gates.endpoints[$0].isPaused && !self.dispatch.queues.blocked[$0].isEmpty
        }
        return paused.map {
            StallWatch.Stall(
                cause: "paused",
                description:
                    "an operator has paused the endpoint \(self.endpointNames[$0]), and records wait for it",
                remedy: "'fleet admin resume --endpoint' ends the pause"
            )
        }
    }
}
