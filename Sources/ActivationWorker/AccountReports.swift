import Operations
import Synchronization
import WireFormats

/// The reports of the accounts with their keys as they are now: a key file that changes changes them while the worker
/// runs.
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

    /// Nil for an account without keys.
    func report(of account: GDTAccount) -> ConversionReport? { self.reports.withLock { $0[account] } }

    /// What a key file holds now takes the place of what it held.
    func replace(_ part: GDTKeys.Part, of account: GDTAccount, by secret: Secret) throws(GDTKeys.Fault) {
        // Outside the lock, where an error can be thrown as it is. Only one task replaces keys.
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
