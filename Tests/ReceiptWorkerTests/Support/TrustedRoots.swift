import TestMaterial

extension JWSVector {
    /// The root that has signed the good rows.
    static var root: String { get throws { try self.named("valid").trusted_root_der_b64 } }
}

extension ReceiptVector {
    /// The root that has signed the good rows.
    static var root: String { get throws { try self.named("subscription").trusted_root_der_b64 } }
}
