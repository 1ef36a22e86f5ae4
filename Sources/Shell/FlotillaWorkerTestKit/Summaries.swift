public import FlotillaWorkerKit
import Operations
import UpstreamHTTP
import WireFormats
import WorkerKit

// Decisions of a worker in words that tests can compare.
extension FlotillaWorkerKit.Plan {
    /// The decision in a few words: `call POST https://…`, `answer`, `refuse CODE` or `reject CODE`.
    public var summary: String {
        switch self.plan {
        case .call(let call): "call \(call.request.method.rawValue) \(call.request.url)"
        case .answer: "answer"
        case .refuse(let reason, _): "refuse \(reason.code)"
        case .reject(let rejection): "reject \(rejection.reason.code)"
        }
    }

    /// The job and the request of a call; nil for every other decision.
    public var call: (job: Job, request: Request)? {
        guard case .call(let call) = self.plan else { return nil }
        return (call.job, Request(call.request))
    }
}

extension FlotillaWorkerKit.Verdict {
    /// The decision in a few words, as that of a plan; also `retry CODE` and `hold CODE`.
    public var summary: String {
        switch self.verdict {
        case .answer: "answer"
        case .call(let call): "call \(call.request.method.rawValue) \(call.request.url)"
        case .refuse(let reason, _), .refuseInDoubt(let reason, _): "refuse \(reason.code)"
        case .retry(let retry), .giveUp(let retry, _): "retry \(retry.reason.code)"
        case .reject(let rejection): "reject \(rejection.reason.code)"
        case .hold(let reason, _): "hold \(reason.code)"
        }
    }
}

extension Settings {
    /// Reads settings from YAML text instead of a file, without the environment.
    ///
    /// - Throws: an error whose description names every fault of the form.
    public init(yaml: String) throws {
        self.init(SettingsReader(file: try SettingsFile(text: yaml, path: "settings"), overrides: []))
    }
}
