package import Operations
package import WireFormats

/// The settings of the handler of activations.
package struct ActivationSettings: Sendable {
    /// The address to which reports are sent; nil for GDT's own. The signature does not depend on it.
    package var baseURL: BaseURL?
    /// The keys of each account that can be reported. Records of other accounts become dead letters.
    package var keys: [GDTAccount: GDTKeys]
    /// The files from which keys were read; they are read again when they change.
    package var keyFiles: [KeyFile]
    /// The ages of conversions that are reported.
    package var window: ConversionWindow
    /// The order of the signed parameters.
    package var parameterOrder: ConversionParameterOrder
    /// The attempt at which a failure that our configuration may explain counts as a fault of it. Such
    /// failures are: GDT has no keys or no rule for an account (−12, −17), gives an undocumented answer, or
    /// something other than GDT answers.
    package var configurationAttemptsLimit: Int
    /// The number of failures of its own after which a callback is refused: `worker.attempts`, after which the engine
    /// would make a dead letter.
    package var callbackAttemptsLimit: Int
    /// The encryptions of uploads that are known.
    package var ciphers: UploadCiphers
    /// The routes to Tencent's living interfaces; nil if no account uses one.
    package var marketing: MarketingSettings?

    /// A file with a key of an account, with the content that was read at start.
    package struct KeyFile: Hashable, Sendable {
        /// The account that the key belongs to.
        package var account: GDTAccount
        /// The kind of key in the file.
        package var part: GDTKeys.Part
        /// The path of the file.
        package var path: String
        /// The content of the file at start.
        package var text: Secret

        /// Creates the description of a file.
        package init(_ account: GDTAccount, _ part: GDTKeys.Part, path: String, text: Secret) {
            self.account = account
            self.part = part
            self.path = path
            self.text = text
        }
    }

    /// Creates settings without checking them.
    package init(
        baseURL: BaseURL? = nil,
        keys: [GDTAccount: GDTKeys],
        keyFiles: [KeyFile] = [],
        window: ConversionWindow = ConversionWindow(),
        parameterOrder: ConversionParameterOrder = .standard,
        configurationAttemptsLimit: Int = 5,
        callbackAttemptsLimit: Int = 5,
        ciphers: UploadCiphers = .standard,
        marketing: MarketingSettings? = nil
    ) {
        self.marketing = marketing
        self.baseURL = baseURL
        self.keys = keys
        self.keyFiles = keyFiles
        self.window = window
        self.parameterOrder = parameterOrder
        self.configurationAttemptsLimit = configurationAttemptsLimit
        self.callbackAttemptsLimit = callbackAttemptsLimit
        self.ciphers = ciphers
    }
}
