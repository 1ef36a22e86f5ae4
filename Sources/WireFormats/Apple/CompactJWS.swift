/// The compact form of a signed object (RFC 7515, section 7.1): three texts of base64url with dots between.
struct CompactJWS {
    /// A transaction has 4 KB, a notification three of them. What is much longer is refused unread.
    static let bytesLimit = 256 * 1024

    /// As it was sent; says the same whenever it is the same.
    let header: ArraySlice<UInt8>
    let payload: ArraySlice<UInt8>
    let signature: ArraySlice<UInt8>
    /// Header and payload with the dot between.
    let signed: ArraySlice<UInt8>

    init(_ text: [UInt8]) throws(SignedDataFault) {
        guard text.count <= Self.bytesLimit else {
            throw SignedDataFault("jws.too_large", "The signed data has more than \(Self.bytesLimit) bytes.")
        }
        let dot = UInt8(ascii: ".")
        guard let first = text.firstIndex(of: dot),
            let second = text[(first + 1)...].firstIndex(of: dot),
            !text[(second + 1)...].contains(dot)
        else {
            throw SignedDataFault("jws.malformed", "The signed data is not three texts with dots between.")
        }
        self.header = text[..<first]
        self.payload = text[(first + 1)..<second]
        self.signature = text[(second + 1)...]
        self.signed = text[..<second]
    }

    /// One of the first two texts, which are JSON objects.
    static func object(_ text: ArraySlice<UInt8>, _ name: String) throws(SignedDataFault) -> JSONObject {
        guard let bytes = Base64URL.decode(text.span) else {
            throw SignedDataFault("jws.malformed", "The \(name) of the signed data is not base64url.")
        }
        guard let object = JSONObject(bytes) else {
            throw SignedDataFault("jws.malformed", "The \(name) of the signed data is not a JSON object.")
        }
        return object
    }
}
