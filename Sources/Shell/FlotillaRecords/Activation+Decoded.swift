package import WireFormats
import WireMessages

extension Activation {
    /// Takes an activation that the worker has decoded and checked. The device is its digest, unless the record names
    /// it by other ids only.
    package init(_ activation: WireFormats.Activation) {
        self.init()
        self.appID = activation.account.appID
        self.advertiserID = activation.account.advertiserID
        self.appType = activation.appType.rawValue
        self.conversionType = activation.conversionType.rawValue
        if activation.hasMUID { self.muid = String(decoding: activation.muid.text, as: UTF8.self) }
        self.convertedAtMS = activation.convertedAt * 1_000
        self.clientIP = activation.clientIP
        self.clickID = activation.clickID
        self.value = activation.value
        self.hashOAID = activation.ids.hashOAID.map { String(decoding: $0.text, as: UTF8.self) }
        self.hashAndroidID = activation.ids.hashAndroidID.map { String(decoding: $0.text, as: UTF8.self) }
        self.caid = activation.ids.caid?.id
        self.caidVersion = activation.ids.caid?.version
        self.userAgent = activation.userAgent
        self.callback = activation.callback
    }
}

extension Outcome {
    /// Takes an outcome of the engine.
    package init(_ outcome: WireFormats.Outcome) { self.init(Flotilla_Outcome_V1_Outcome(outcome)) }
}
