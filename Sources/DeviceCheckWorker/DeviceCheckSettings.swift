package import Cryptography
package import Operations
package import WireFormats
package import WorkerKit

/// What a handler of DeviceCheck has to be told.
package struct DeviceCheckSettings: Sendable {
    /// A developer team, and the key that Apple gave it for DeviceCheck.
    package struct Team: Sendable {
        package var id: String
        package var keyID: String
        package var signer: ES256Signer
        /// Where the key was read from, to be read again when it changes; nil if it did not come from a file.
        package var keyFile: WatchedFile?
        /// The same for the id of the key.
        package var keyIDFile: WatchedFile?

        package init(
            id: String,
            keyID: String,
            signer: ES256Signer,
            keyFile: WatchedFile? = nil,
            keyIDFile: WatchedFile? = nil
        ) {
            self.id = id
            self.keyID = keyID
            self.signer = signer
            self.keyFile = keyFile
            self.keyIDFile = keyIDFile
        }
    }

    /// A file with a key or the id of one, and what was in it.
    package struct WatchedFile: Hashable, Sendable {
        package var path: String
        package var text: Secret

        package init(path: String, text: Secret) {
            self.path = path
            self.text = text
        }
    }

    /// The teams that may be asked for. Records of others are rejected.
    package var teams: [Team]
    /// Where Apple is, if not where it always is.
    package var hosts: [DeviceCheckEnvironment: BaseURL]
    package var limits: TokenLimits
    /// Calls made for one operation, the first included.
    package var attempts: Int
    /// Calls after which an answer that nobody can explain is given up.
    package var unexplainedAttempts: Int
    /// How the engine spaces them.
    package var backoff: Backoff
    /// How long one token of ours is shown to Apple.
    package var tokenLifetime: Duration
    package var memory: UpdateMemory.Limits

    package init(
        teams: [Team],
        hosts: [DeviceCheckEnvironment: BaseURL] = [:],
        limits: TokenLimits = TokenLimits(),
        attempts: Int = 5,
        unexplainedAttempts: Int = 3,
        backoff: Backoff = Backoff(base: .milliseconds(200), longest: .seconds(2)),
        tokenLifetime: Duration = .seconds(1_800),
        memory: UpdateMemory.Limits = UpdateMemory.Limits()
    ) {
        self.teams = teams
        self.hosts = hosts
        self.limits = limits
        self.attempts = attempts
        self.unexplainedAttempts = min(unexplainedAttempts, attempts)
        self.backoff = backoff
        self.tokenLifetime = tokenLifetime
        self.memory = memory
    }
}
