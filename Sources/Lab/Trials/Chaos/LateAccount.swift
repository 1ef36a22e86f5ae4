import Harness
import UpstreamSimulator

/// An account that is configured in every worker, but that GDT does not know until the operator has had it registered.
///
/// Until then GDT answers every report of the account with -12, and the workers hold the account's lane. No record of
/// the account may become a dead letter meanwhile.
enum LateAccount {
    static let appID: UInt64 = 112_244

    /// The settings of an activation worker that shorten the pauses of a held lane.
    static let holdSettings = """
        hold:
          first_pause: 500ms
          longest_pause: 2s

        """

    /// The account as the simulator of GDT takes it. The account has the keys of the other one.
    static func keys(_ file: WorkerFile) -> GDTKeys {
        GDTKeys(
            appID: String(self.appID),
            advertiserID: String(DemoAccount.advertiserID),
            signKey: file.signKey,
            encryptKey: file.encryptKey
        )
    }
}
