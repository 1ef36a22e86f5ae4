/// The keys of one app of one advertiser, with the conversion types that have a rule there.
package struct GDTKeys: Codable, Hashable, Sendable {
    /// The app's id, as it stands in the path of a request.
    package var appID: String
    /// The advertiser's id, as the field `advertiser_id` carries it.
    package var advertiserID: String
    /// The key of the signature.
    package var signKey: String
    /// The key of the encryption. With an empty key no report can be decrypted, and the account is treated as
    /// one without keys.
    package var encryptKey: String
    /// The conversion types that have a rule; nil for every documented type. A misspelt type never has a
    /// rule.
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

    /// The conversion types in GDT's documentation. The spelling `ACTIVITE` is GDT's.
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
