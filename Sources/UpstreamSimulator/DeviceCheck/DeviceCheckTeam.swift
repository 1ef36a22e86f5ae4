/// A developer team, and the key that Apple knows of it.
package struct DeviceCheckTeam: Codable, Hashable, Sendable {
    package var teamID: String
    package var keyID: String
    package var publicKeyPEM: String
    /// A key may exist and be one for another service: Apple then calls its tokens badly formatted.
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
