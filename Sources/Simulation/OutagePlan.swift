package import WorkerKit

/// What is published for an endpoint that is down for long, and for the other one meanwhile.
package struct OutagePlan: Hashable, Sendable {
    /// Records for the endpoint that is down, and the bytes of each.
    package var records = 100_000
    package var recordBytes = 80_000
    package var length = Duration.seconds(24 * 3_600)
    /// Records a second for the other endpoint, from before the outage until after it.
    package var perSecond = 5
    package var delivery = EngineSettings.Delivery.atLeastOnce

    package init() {}

    static let partitions = 4

    /// The time before the outage, with which it is compared, and for which the stream goes on after it.
    var margin: Duration { self.length / 48 }

    /// The records for the endpoint that is down come within the first hour of a day.
    var publishing: Duration { self.length / 24 }

    /// Keys of those records. Each has ten of them.
    var keys: Int { max(1, self.records / 10) }
}
