package import Cryptography
package import Operations
package import ServiceKit
package import WireFormats

/// The settings of the handler of DeviceCheck.
package struct DeviceCheckSettings: Sendable {
    /// A developer team with its key for DeviceCheck.
    package struct Team: Sendable {
        /// The Team ID at Apple, 10 letters and digits.
        package var id: String
        /// The id of the key, 10 letters and digits.
        package var keyID: String
        /// The signer that holds the private key.
        package var signer: ES256Signer
        /// The file of the key, read again when it changes; nil if the key did not come from a file.
        package var keyFile: WatchedFile?
        /// The file of the key id, read again when it changes; nil if the id did not come from a file.
        package var keyIDFile: WatchedFile?

        /// Creates a team.
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

    /// A file with a key or a key id, with the content that was read at start.
    package struct WatchedFile: Hashable, Sendable {
        /// The path of the file.
        package var path: String
        /// The content of the file at start.
        package var text: Secret

        /// Creates the description of a file.
        package init(path: String, text: Secret) {
            self.path = path
            self.text = text
        }
    }

    /// The configured teams. Records of other teams become dead letters.
    package var teams: [Team]
    /// The addresses of Apple's environments, where they differ from Apple's own.
    package var hosts: [DeviceCheckEnvironment: BaseURL]
    /// The ages up to which device tokens are used.
    package var limits: TokenLimits
    /// The greatest number of calls for one operation, including the first.
    package var attempts: Int
    /// The number of calls after which a refusal without a known meaning is given up; at most `attempts`.
    package var unexplainedAttempts: Int
    /// The waits of the engine between these calls.
    package var backoff: Backoff
    /// The time for which one provider token is used.
    package var tokenLifetime: Duration
    /// The bounds of the memory of updates.
    package var memory: UpdateMemory.Limits

    /// Creates settings without checking them, except that `unexplainedAttempts` is reduced to `attempts`.
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
