import ServiceKit
import StreamKit

/// The folder in which simulated processes mark the record that they are about to process. It outlives all of
/// them.
final class SimulatedCrashes {
    private struct Mark {
        let broker: SimulatedBroker
        let place: CrashLedger.Place
    }

    private var marks: [ObjectIdentifier: Mark] = [:]
    private(set) var deaths: [CrashLedger.Place: Int] = [:]

    /// Returns the view that one process has of the folder.
    func memory(of broker: SimulatedBroker) -> any CrashMemory { Memory(self, broker) }

    private func mark(_ place: CrashLedger.Place?, by broker: SimulatedBroker) {
        // A dead process changes nothing any more.
        guard !broker.isDead else { return }
        self.marks[ObjectIdentifier(broker)] = place.map { Mark(broker: broker, place: $0) }
    }

    /// Adds a death to each record that a dead process was handling.
    private func charge() {
        for (owner, mark) in self.marks where mark.broker.isDead {
            self.deaths[mark.place, default: 0] += 1
            self.marks[owner] = nil
        }
    }

    private final class Memory: CrashMemory {
        private let folder: SimulatedCrashes
        private let broker: SimulatedBroker
        private var known: [CrashLedger.Place: Int] = [:]

        init(_ folder: SimulatedCrashes, _ broker: SimulatedBroker) {
            self.folder = folder
            self.broker = broker
            self.takeStock()
        }

        var hasDeaths: Bool { !self.known.isEmpty }

        func mark(topic: String, partition: Int32, offset: Int64) {
            let place = CrashLedger.Place(topic: topic, partition: partition, offset: offset)
            self.folder.mark(place, by: self.broker)
        }

        func clear() { self.folder.mark(nil, by: self.broker) }

        func deaths(of topic: String, partition: Int32, offset: Int64) -> Int {
            CrashLedger.Place(topic: topic, partition: partition, offset: offset)
                .flatMap { self.known[$0] } ?? 0
        }

        func forgive(topic: String, partition: Int32, offset: Int64) {
            guard !self.broker.isDead,
                let place = CrashLedger.Place(topic: topic, partition: partition, offset: offset)
            else { return }
            self.known[place] = nil
            self.folder.deaths[place] = nil
        }

        func forgive(topic: String, partition: Int32) {
            guard !self.broker.isDead else { return }
            self.known = self.known.filter { !$0.key.isIn(topic, partition) }
            self.folder.deaths = self.folder.deaths.filter { !$0.key.isIn(topic, partition) }
        }

        func takeStock() {
            guard !self.broker.isDead else { return }
            self.folder.charge()
            self.known = self.folder.deaths
        }

        func takeWarnings() -> [String] { [] }
    }
}
