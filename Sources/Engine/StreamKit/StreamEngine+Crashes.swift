import Logging
import Records
import ServiceKit

// A record that kills the process is delivered again to the next process, and kills that too. So each record
// is marked while a task has it, and a record that is known to have killed three processes is buried instead of
// processed.
extension StreamEngine {
    /// Makes a task process a record, or bury it if the record has killed as many processes as it may.
    func give(_ record: consuming InboundRecord, to task: any StreamTask) {
        guard let crashes = self.crashes else { return task.process(record, at: self.provenNow, self.output) }
        if crashes.hasDeaths {
            let place = (record.topic, record.partition, record.offset)
            let deaths = crashes.deaths(of: place.0, partition: place.1, offset: place.2)
            if deaths > 0 { self.suspects.append(place) }
            guard deaths < CrashRecorder.deadly else {
                self.logger.warning(
                    "a record has killed the worker three times: buried",
                    metadata: ["source": "\(place.0)/\(place.1)/\(place.2)"]
                )
                return task.bury(record, at: self.provenNow, self.output)
            }
        }
        crashes.mark(topic: record.topic, partition: record.partition, offset: record.offset)
        task.process(record, at: self.provenNow, self.output)
        crashes.clear()
    }

    /// Forgives the records of `suspects`. Their outcome is committed, so their earlier deaths do not matter
    /// any more.
    func forgiveSuspects() {
        guard !self.suspects.isEmpty else { return }
        for (topic, partition, offset) in self.suspects {
            self.crashes?.forgive(topic: topic, partition: partition, offset: offset)
        }
        self.suspects = []
        self.tellOfCrashes()
    }

    /// Learns of new deaths: the partitions that were just assigned may have come from a process that has
    /// just died.
    func takeStockOfCrashes() {
        self.crashes?.takeStock()
        self.tellOfCrashes()
    }

    private func tellOfCrashes() {
        self.logger.tell(ofCrashGuard: self.crashes?.takeWarnings() ?? [])
    }
}
