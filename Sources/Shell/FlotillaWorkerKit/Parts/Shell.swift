import ArgumentParser
public import FlotillaRecords

/// A program of your own around the engine of this package: its parts are made once, from the settings.
///
/// A shell is a `Worker` with an upstream of its own, or an `ActivationShell`, which is the activation worker
/// with some parts replaced. All parts are called on the engine's thread, which serves the broker and the
/// upstream too: they must not block, and they are shared by all records.
public protocol Shell: Sendable {
    /// Makes the parts from the settings. A fault is reported to the settings, and the parts are then never
    /// used.
    init(_ settings: Settings)

    /// The interceptors, called in this order; none by default.
    var interceptors: [any Interceptor] { get }

    /// The channels that get a record of their own for each record that ends; none by default.
    var channels: [any Channel] { get }
}

extension Shell {
    public var interceptors: [any Interceptor] { [] }
    public var channels: [any Channel] { [] }
}

/// A worker with an upstream of its own: two functions around one call.
///
/// The engine does the rest: retries, order, commits, breakers, rebalancing, dead letters and the program's
/// commands. Both functions read no clock, do no I/O and keep no state.
public protocol Worker: Shell {
    /// A decoded record, with everything that is needed to understand the upstream's answer.
    associatedtype Job: Sendable

    /// The names of the worker.
    static var identity: Identity { get }

    /// Decodes a record and says what is to be done about it. It is called once for every attempt.
    func plan(_ record: Record, _ attempt: Attempt) -> Plan<Job>

    /// Says what the end of a call means for the record. It is called once for every call.
    func interpret(_ exchange: Exchange, of job: Job, _ attempt: Attempt) -> Verdict<Job>

    /// Returns the request as the command `plan` may show it. By default the values of headers, the query and
    /// the body are masked.
    static func masked(_ request: Request) -> Request
}

extension Worker {
    public static func masked(_ request: Request) -> Request {
        var masked = request
        masked.url = String(request.url.prefix { $0 != "?" }) + (request.url.contains("?") ? "?masked" : "")
        masked.headers = request.headers.map { HTTPField($0.name, "masked") }
        masked.body = request.body.map { _ in Array("masked".utf8) }
        return masked
    }

    /// The program: `run`, `plan`, `interpret`, `check-config` and `preflight`, as the workers of this package
    /// have them. Mark the worker with `@main` to use it.
    @MainActor
    public static func main() async { await ShellCommand<WorkerShellProgram<Self>>.main() }
}

/// The activation worker with parts of your own: interceptors, channels, and the encryptions of uploads.
public protocol ActivationShell: Shell {
    /// The encryptions of uploads, beside the standard one or instead of it; none by default.
    var ciphers: [any UploadCipher] { get }
}

extension ActivationShell {
    public var ciphers: [any UploadCipher] { [] }

    /// The program: the commands of the activation worker, its `intake` among them, and `preflight`. The parts
    /// read their settings in the section `shell`.
    @MainActor
    public static func main() async { await ActivationShellCommand<Self>.main() }
}
