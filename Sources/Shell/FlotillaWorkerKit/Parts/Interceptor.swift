public import FlotillaRecords

/// Five points at which a record can be observed, its headers changed, or its call vetoed.
///
/// The methods run on the engine's thread and must not block. A veto ends the record: its outcome is `rejected`
/// with the veto's reason, there is no dead letter, and nothing (more) is sent. After a call has been sent a veto
/// would change nothing at the upstream, so the last two points only observe. By default every method does
/// nothing.
public protocol Interceptor: Sendable {
    /// A record has been read and is about to be decoded, once for each attempt. Only changes of the
    /// headers reach the worker.
    func received(_ record: inout Record) throws(Veto)

    /// A record has been decoded, and a call is planned.
    ///
    /// - Parameter content: The worker's `Job`; in an `ActivationShell` an `Activation`.
    func decoded(_ content: any Sendable, of record: Record) throws(Veto)

    /// A request is ready to be sent. Only changes of the headers are sent. If the upstream may not be
    /// called now, the record waits, and this is called again for its next attempt.
    func willSend(_ request: inout Request, for record: Record) throws(Veto)

    /// A call has ended, before the worker interprets its end.
    func didSend(_ request: Request, for record: Record, _ exchange: Exchange)

    /// The broker has acknowledged the record's outcome, and with exactly-once its transaction is committed.
    /// After a crash in between, this can be missing with exactly-once, and come twice otherwise.
    func didSettle(_ record: Record, _ outcome: Outcome)
}

extension Interceptor {
    public func received(_ record: inout Record) throws(Veto) {}
    public func decoded(_ content: any Sendable, of record: Record) throws(Veto) {}
    public func willSend(_ request: inout Request, for record: Record) throws(Veto) {}
    public func didSend(_ request: Request, for record: Record, _ exchange: Exchange) {}
    public func didSettle(_ record: Record, _ outcome: Outcome) {}
}

/// The refusal of a record by an interceptor.
public struct Veto: Error, Hashable, Sendable {
    /// The reason in the record's outcome.
    public let reason: Reason

    /// Makes a veto. Code and text are those of a `Reason`.
    public init(_ code: StaticString, _ text: String) { self.reason = Reason(code, text) }
}
