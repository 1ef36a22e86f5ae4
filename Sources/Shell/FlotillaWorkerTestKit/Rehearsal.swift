import FlotillaRecords
public import FlotillaWorkerKit
import Operations
import Records
import ServiceKit
import Simulation
import UpstreamHTTP
import WireFormats
import WorkerKit

/// A rehearsal of a shell: the engine that ships runs it on a clock, a cluster and an upstream that one seed
/// decides, and judges check every step.
///
/// In a storm workers die at any moment, partitions come and go, and brokers and upstreams fail, lie or do not
/// answer. Interceptors and channels take part. Meanwhile no record may be lost, no call may come too early or
/// out of order, and no commit may run ahead; at the end every record must have an outcome that its sample
/// allows. A seed always gives the same storm, as long as the shell depends on nothing but its parameters.
public struct Rehearsal: Sendable {
    /// One kind of record, and the ends that it may have.
    public struct Sample: Sendable {
        /// The record's key, value and headers.
        public var record: ChannelRecord
        /// The allowed fates: `succeeded`, `rejected`, `dead_lettered`. Some storms have short deadlines, in
        /// which any record may also expire.
        public var ends: Set<String>

        /// Makes a sample.
        public init(_ record: ChannelRecord, ends: Set<String> = ["succeeded"]) {
            self.record = record
            self.ends = ends
        }

        var sample: StormSubject.Sample {
            StormSubject.Sample(
                key: self.record.key,
                value: self.record.value,
                headers: self.record.headers.map(\.recordHeader),
                ends: self.ends
            )
        }
    }

    /// The storms did not end as they must. The description has a line for each complaint, with its seed.
    public struct Failed: Error, CustomStringConvertible {
        /// The complaints, each of which begins with its seed.
        public let complaints: [String]

        public var description: String { self.complaints.joined(separator: "\n") }
    }

    /// The size of what has been rehearsed.
    public struct Report: Hashable, Sendable {
        /// The number of records that were published.
        public var records = 0
        /// The number of faults that were injected.
        public var faults = 0
    }

    private let handler: @Sendable () -> ErasedHandler
    private let samples: [Sample]
    private let sharesRequests: Bool
    private let upstream: @Sendable (Request) -> Response

    /// Makes a rehearsal of a worker with an upstream of its own.
    ///
    /// - Parameters:
    ///   - samples: The kinds of records, drawn at random; at least one.
    ///   - upstream: The answer of the upstream where no fault is injected. Faults are refused connections,
    ///     timeouts, cut connections, the statuses 429, 500 and 503, and an answer 200 of a captive portal
    ///     (`<html>…`), so a worker should look at the body of a 200.
    public init<W: Worker>(
        of worker: W,
        samples: [Sample],
        upstream: @escaping @Sendable (Request) -> Response
    ) {
        let handler = WorkerShellProgram<W>.handler(worker)
        self.init({ ErasedHandler(RehearsedHandler(base: handler)) }, samples: samples, upstream: upstream)
    }

    /// Makes a rehearsal of the activation worker with the parts of a shell.
    ///
    /// - Parameters:
    ///   - settings: The activation worker's settings as YAML, such as the section `gdt`.
    ///   - samples: As for a worker.
    ///   - upstream: As for a worker; it stands for GDT.
    /// - Throws: an error whose description names every fault of the settings.
    public init<S: ActivationShell>(
        of shell: S,
        settings: String,
        samples: [Sample],
        upstream: @escaping @Sendable (Request) -> Response
    ) throws {
        let reader = SettingsReader(file: try SettingsFile(text: settings, path: "settings"), overrides: [])
        let identity = ActivationShellProgram<S>.identity
        let engine = EngineSettings(
            inputTopic: identity.topic,
            groupID: identity.name,
            worker: identity.name,
            workerVersion: WorkerIdentity.version,
            upstream: identity.upstream
        )
        let handler = ActivationShellProgram<S>.handler(shell, reader, engine: engine)
        try reader.finish()
        self.init(
            { ErasedHandler(RehearsedHandler(base: handler)) },
            samples: samples,
            // The endpoints after that of scheme 2 are those of routes that send several records in one request.
            sharesRequests: handler.endpoints.count > 1,
            upstream: upstream
        )
    }

    private init(
        _ handler: @escaping @Sendable () -> ErasedHandler,
        samples: [Sample],
        sharesRequests: Bool = false,
        upstream: @escaping @Sendable (Request) -> Response
    ) {
        precondition(!samples.isEmpty, "a rehearsal needs a sample")
        self.handler = handler
        self.samples = samples
        self.sharesRequests = sharesRequests
        self.upstream = upstream
    }

    /// Plays a storm for each seed.
    ///
    /// - Throws: `Failed` after all storms, if a promise was broken in one of them.
    @discardableResult
    public func storms(seeds: Range<UInt64>) throws(Failed) -> Report {
        var report = Report()
        var complaints: [String] = []
        for seed in seeds {
            let storm = Storm(seed: seed, of: self.subject)
            complaints += storm.run().map { "seed \(seed): \($0)" }
            report.records += storm.records
            report.faults += storm.faults
        }
        guard complaints.isEmpty else { throw Failed(complaints: complaints) }
        return report
    }

    private var subject: StormSubject {
        StormSubject(
            handler: self.handler(),
            samples: self.samples.map(\.sample),
            sharesRequests: self.sharesRequests
        ) { call, latency in
            let response = self.upstream(Request(RecordMark.removed(from: call.request)))
            var reply = SimulatedUpstream.Reply(response.status, after: latency)
            reply.result = .success(response.http)
            return reply
        }
    }
}
