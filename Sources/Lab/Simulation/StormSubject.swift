package import Records
package import WorkerKit

/// A handler that a storm plays, with its records and the honest answers of its upstream.
///
/// The handler must put the headers of `SimulatedUpstream.Call` before those of its own requests, and encode
/// outcomes as `SimulatedOutcome`, with the number of its records for channels as the answer.
package struct StormSubject {
    /// One kind of record.
    package struct Sample: Sendable {
        package var key: [UInt8]?
        package var value: [UInt8]?
        package var headers: [RecordHeader]
        /// The fates that a record of this kind may have, such as `succeeded`.
        package var ends: Set<String>

        package init(key: [UInt8]?, value: [UInt8]?, headers: [RecordHeader], ends: Set<String>) {
            self.key = key
            self.value = value
            self.headers = headers
            self.ends = ends
        }
    }

    let handler: ErasedHandler
    let samples: [Sample]
    /// Makes the answer of an upstream without faults, which arrives after the given time.
    let reply: (SimulatedUpstream.Call, Duration) -> SimulatedUpstream.Reply

    package init(
        handler: ErasedHandler,
        samples: [Sample],
        reply: @escaping (SimulatedUpstream.Call, Duration) -> SimulatedUpstream.Reply
    ) {
        self.handler = handler
        self.samples = samples
        self.reply = reply
    }
}
