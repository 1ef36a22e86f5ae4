import Cryptography

/// A device as GDT identifies it: the MD5 of its id, as 32 lower-case hexadecimal digits.
///
/// An id that stands for "no id" never becomes a MUID. Apple gives all zeros if the user denied tracking, and
/// a report about all zeros would be a report about all such users.
package struct MUID: Hashable, Sendable {
    /// The reason why a text gives no MUID.
    package enum Fault: Error, Hashable, Sendable {
        /// The id is empty, or the digest is that of an empty id.
        case emptyDevice
        /// The id is all zeros, or the digest is that of such an id.
        case zeroDevice
        /// The device id does not have the form that the app type asks for.
        case malformedDevice
        /// The digest is not 32 lower-case hexadecimal digits.
        case malformedDigest
    }

    /// The MD5 as 32 lower-case hexadecimal digits.
    package let text: [UInt8]

    /// Makes a MUID of an IDFA for iOS, otherwise of an IMEI or a MEID. Surrounding white space and case do
    /// not matter.
    package init(deviceID: String, of appType: AppType) throws(Fault) {
        var normalised = Array(deviceID.utf8)
        if normalised.first?.isWhiteSpace != false || normalised.last?.isWhiteSpace != false {
            normalised = Array(normalised.trimmingWhiteSpace())
        }
        guard !normalised.isEmpty else { throw .emptyDevice }
        switch appType {
        case .ios:
            for index in normalised.indices { normalised[index] = normalised[index].uppercased }
            guard Self.isIDFA(normalised) else { throw .malformedDevice }
        case .android, .unionAndroid:
            for index in normalised.indices { normalised[index] = normalised[index].lowercased }
            guard Self.isIMEI(normalised) || Self.isMEID(normalised) else { throw .malformedDevice }
        }
        guard !Self.isZero(normalised) else { throw .zeroDevice }
        self.text = Digest.md5.hexadecimal(normalised)
    }

    /// Takes a digest that was computed elsewhere.
    package init(digest: String) throws(Fault) {
        let bytes = Array(digest.utf8)
        guard bytes.count == 32, bytes.allSatisfy(\.isLowercaseHexadecimal) else { throw .malformedDigest }
        guard bytes != Self.emptyDigest else { throw .emptyDevice }
        guard !Self.zeroDigests.contains(bytes) else { throw .zeroDevice }
        self.text = bytes
    }

    private static let emptyDigest = Digest.md5.hexadecimal([])

    private static let zeroDigests = Set(
        (["00000000-0000-0000-0000-000000000000"] + (14...16).map { String(repeating: "0", count: $0) })
            .map { Digest.md5.hexadecimal(Array($0.utf8)) }
    )

    private static func isIDFA(_ bytes: [UInt8]) -> Bool {
        bytes.count == 36
            && bytes.indices.allSatisfy { index in
                switch index {
                case 8, 13, 18, 23: bytes[index] == UInt8(ascii: "-")
                default: bytes[index].isHexadecimal
                }
            }
    }

    /// Returns whether the bytes are an IMEI: 15 digits, 14 without the check digit, 16 with a software
    /// version.
    private static func isIMEI(_ bytes: [UInt8]) -> Bool {
        (14...16).contains(bytes.count) && bytes.allSatisfy(\.isDigit)
    }

    /// Returns whether the bytes are a MEID: 14 hexadecimal digits, 15 with the check digit.
    private static func isMEID(_ bytes: [UInt8]) -> Bool {
        (14...15).contains(bytes.count) && bytes.allSatisfy(\.isLowercaseHexadecimal)
    }

    private static func isZero(_ bytes: [UInt8]) -> Bool {
        bytes.allSatisfy { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: "-") }
    }
}
