/// The compact form of a signed object (RFC 7515, section 7.1): three texts in base64url, joined by dots.
struct CompactJWS {
    /// The most bytes that are read. A transaction has 4 KB, a notification about three times as much.
    static let bytesLimit = 256 * 1024

    /// The header as it was sent. Two equal texts have equal content, so the text can serve as a key.
    let header: ArraySlice<UInt8>
    let payload: ArraySlice<UInt8>
    let signature: ArraySlice<UInt8>
    /// The signed bytes: header and payload with the dot between them.
    let signed: ArraySlice<UInt8>

    /// Splits a text at its two dots; the parts are not decoded yet.
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

    /// Decodes the header or the payload, which are JSON objects. `name` is used in the fault's message.
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
