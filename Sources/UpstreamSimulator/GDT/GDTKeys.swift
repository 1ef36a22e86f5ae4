/// The keys of one app of one advertiser, and the conversions that have a rule there.
package struct GDTKeys: Codable, Hashable, Sendable {
    package var appID: String
    package var advertiserID: String
    package var signKey: String
    /// With an empty key nothing can be deciphered: such an account counts as one without keys.
    package var encryptKey: String
    /// Nil: every documented type. A misspelt type has no rule either way.
    package var conversionTypes: Set<String>?

    package init(
        appID: String,
        advertiserID: String,
        signKey: String,
        encryptKey: String,
        conversionTypes: Set<String>? = nil
    ) {
        self.appID = appID
        self.advertiserID = advertiserID
        self.signKey = signKey
        self.encryptKey = encryptKey
        self.conversionTypes = conversionTypes
    }

    package static let documentedConversionTypes: Set<String> = [
        "MOBILEAPP_ACTIVITE", "MOBILEAPP_REGISTER", "MOBILEAPP_ADDTOCART",
        "MOBILEAPP_COST", "MOBILEAPP_SCORE", "MOBILEAPP_SEARCH",
    ]

    private enum CodingKeys: String, CodingKey {
        case appID = "app_id"
        case advertiserID = "advertiser_id"
        case signKey = "sign_key"
        case encryptKey = "encrypt_key"
        case conversionTypes = "conversion_types"
    }
}
