import Operations
import Synchronization
import WireFormats

/// The reports of all accounts, each with its present keys. When a key file changes, the keys change while
/// the worker runs. The object is safe to use from any thread.
final class AccountReports: Sendable {
    private let baseURL: BaseURL?
    private let order: ConversionParameterOrder
    private let reports: Mutex<[GDTAccount: ConversionReport]>

    init(_ settings: ActivationSettings) {
        self.baseURL = settings.baseURL
        self.order = settings.parameterOrder
        let reports = settings.keys.map { account, keys in
            let report = ConversionReport(
                for: account,
                keys: keys,
                baseURL: settings.baseURL,
                order: settings.parameterOrder
            )
            return (account, report)
        }
        self.reports = Mutex(Dictionary(uniqueKeysWithValues: reports))
    }

    /// Returns the report of an account; nil for an account without keys.
    func report(of account: GDTAccount) -> ConversionReport? { self.reports.withLock { $0[account] } }

    /// Replaces a key by the new content of its file.
    ///
    /// - Throws: a fault if the text is not a key; the old key then stays in use.
    func replace(_ part: GDTKeys.Part, of account: GDTAccount, by secret: Secret) throws(GDTKeys.Fault) {
        // Keys are replaced outside the lock, because a typed error cannot leave it. Only one task replaces
        // keys, so nothing is overwritten.
        guard let keys = self.report(of: account)?.keys else { return }
        let report = ConversionReport(
            for: account,
            keys: try keys.replacing(part, by: secret.reveal()),
            baseURL: self.baseURL,
            order: self.order
        )
        self.reports.withLock { $0[account] = report }
    }
}
