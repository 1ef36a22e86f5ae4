package import Records
package import WorkerKit

/// A handler that a storm plays, with its records and the honest answers of its upstream.
///
/// The handler must put the headers of `SimulatedUpstream.Call` before those of its own requests, with
/// `SharedRequest` where records share one, and encode outcomes as `SimulatedOutcome`, with the number of its
/// records for channels as the answer.
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
    /// Whether records of the handler may share requests. A record then waits for others longer than for itself.
    let sharesRequests: Bool
    /// Whether a status 429 is about the record of a call alone, and not about its lane.
    let waitsAlone: (SimulatedUpstream.Call) -> Bool
    /// Makes the answer of an upstream without faults, which arrives after the given time. Where records share a
    /// request, this is called once with the first of its calls and the whole request, and `SharedRequest` tells
    /// all calls.
    let reply: (SimulatedUpstream.Call, Duration) -> SimulatedUpstream.Reply

    package init(
        handler: ErasedHandler,
        samples: [Sample],
        sharesRequests: Bool = false,
        waitsAlone: @escaping (SimulatedUpstream.Call) -> Bool = { _ in false },
        reply: @escaping (SimulatedUpstream.Call, Duration) -> SimulatedUpstream.Reply
    ) {
        self.handler = handler
        self.samples = samples
        self.sharesRequests = sharesRequests
        self.waitsAlone = waitsAlone
        self.reply = reply
    }
}
