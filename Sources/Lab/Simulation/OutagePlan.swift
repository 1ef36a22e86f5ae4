package import WorkerKit

/// The records that are published during a long outage of one endpoint, for that endpoint and for the other
/// one.
package struct OutagePlan: Hashable, Sendable {
    /// The number of records for the endpoint that is down.
    package var records = 100_000
    /// The size of each of these records in bytes.
    package var recordBytes = 80_000
    /// The length of the outage.
    package var length = Duration.seconds(24 * 3_600)
    /// The records per second for the other endpoint, which begin before the outage and end after it.
    package var perSecond = 5
    /// The delivery setting of the workers.
    package var delivery = EngineSettings.Delivery.atLeastOnce

    /// Makes the plan of an outage of one day.
    package init() {}

    static let partitions = 4

    /// The time before the outage that it is compared with. The stream goes on for as long after the outage.
    var margin: Duration { self.length / 48 }

    /// The time in which the records for the endpoint that is down are published: the first hour of a day.
    var publishing: Duration { self.length / 24 }

    /// The number of keys of those records. Each key has ten of them.
    var keys: Int { max(1, self.records / 10) }
}
