package import WireFormats

/// What a handler of activations has to be told.
package struct ActivationSettings: Sendable {
    /// Where GDT is; nil means GDT itself. What is signed does not depend on it.
    package var baseURL: BaseURL?
    /// The keys of every app that may be reported. Records of other apps are rejected.
    package var keys: [GDTAccount: GDTKeys]
    package var window: ConversionWindow
    package var parameterOrder: ConversionParameterOrder
    /// The attempt at which a failure that our configuration may explain is taken for one: GDT has no keys or no rule
    /// for an account (−12, −17), says what it does not document, or is not what answers.
    package var configurationAttemptsLimit: Int

    package init(
        baseURL: BaseURL? = nil,
        keys: [GDTAccount: GDTKeys],
        window: ConversionWindow = ConversionWindow(),
        parameterOrder: ConversionParameterOrder = .standard,
        configurationAttemptsLimit: Int = 5
    ) {
        self.baseURL = baseURL
        self.keys = keys
        self.window = window
        self.parameterOrder = parameterOrder
        self.configurationAttemptsLimit = configurationAttemptsLimit
    }
}
