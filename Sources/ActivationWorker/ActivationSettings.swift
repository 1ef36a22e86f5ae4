package import Operations
package import WireFormats

/// What a handler of activations has to be told.
package struct ActivationSettings: Sendable {
    /// Where GDT is; nil means GDT itself. What is signed does not depend on it.
    package var baseURL: BaseURL?
    /// The keys of every app that may be reported. Records of other apps are rejected.
    package var keys: [GDTAccount: GDTKeys]
    /// The files that keys were read from, to be read again when they change.
    package var keyFiles: [KeyFile]
    package var window: ConversionWindow
    package var parameterOrder: ConversionParameterOrder
    /// The attempt at which a failure that our configuration may explain is taken for one: GDT has no keys or no rule
    /// for an account (−12, −17), says what it does not document, or is not what answers.
    package var configurationAttemptsLimit: Int

    /// A file with a key of an account, and what was in it.
    package struct KeyFile: Hashable, Sendable {
        package var account: GDTAccount
        package var part: GDTKeys.Part
        package var path: String
        package var text: Secret

        package init(_ account: GDTAccount, _ part: GDTKeys.Part, path: String, text: Secret) {
            self.account = account
            self.part = part
            self.path = path
            self.text = text
        }
    }

    package init(
        baseURL: BaseURL? = nil,
        keys: [GDTAccount: GDTKeys],
        keyFiles: [KeyFile] = [],
        window: ConversionWindow = ConversionWindow(),
        parameterOrder: ConversionParameterOrder = .standard,
        configurationAttemptsLimit: Int = 5
    ) {
        self.baseURL = baseURL
        self.keys = keys
        self.keyFiles = keyFiles
        self.window = window
        self.parameterOrder = parameterOrder
        self.configurationAttemptsLimit = configurationAttemptsLimit
    }
}
