/// A developer team, with the public key that Apple knows for it.
package struct DeviceCheckTeam: Codable, Hashable, Sendable {
    /// The issuer (`iss`) of the team's tokens.
    package var teamID: String
    /// The key id (`kid`) of the team's tokens.
    package var keyID: String
    /// The public key of P-256 in PEM.
    package var publicKeyPEM: String
    /// Whether the key is enabled for DeviceCheck; nil means true. Apple reports tokens of a key for another
    /// service as badly formatted.
    package var hasDeviceCheck: Bool?

    package init(teamID: String, keyID: String, publicKeyPEM: String, hasDeviceCheck: Bool? = nil) {
        self.teamID = teamID
        self.keyID = keyID
        self.publicKeyPEM = publicKeyPEM
        self.hasDeviceCheck = hasDeviceCheck
    }

    private enum CodingKeys: String, CodingKey {
        case teamID = "team_id"
        case keyID = "key_id"
        case publicKeyPEM = "public_key_pem"
        case hasDeviceCheck = "has_devicecheck"
    }
}
