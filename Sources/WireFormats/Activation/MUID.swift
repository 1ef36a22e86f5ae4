import Cryptography

/// A device as GDT knows it: the MD5 of its id, 32 lower-case hexadecimal digits.
///
/// The ids that stand for "no id" never become one. Apple gives all zeros when tracking is denied, and a report
/// about such a device is a report about everybody who denied it.
package struct MUID: Hashable, Sendable {
    package enum Fault: Error, Hashable, Sendable {
        case emptyDevice
        case zeroDevice
        case malformedDevice
        case malformedDigest
    }

    package let text: [UInt8]

    /// From an IDFA for iOS, otherwise from an IMEI or a MEID. Surrounding white space and case do not matter.
    package init(deviceID: String, of appType: AppType) throws(Fault) {
        let bytes = Array(deviceID.utf8).trimmingWhiteSpace()
        guard !bytes.isEmpty else { throw .emptyDevice }
        let normalised: [UInt8]
        switch appType {
        case .ios:
            normalised = bytes.map(\.uppercased)
            guard Self.isIDFA(normalised) else { throw .malformedDevice }
        case .android, .unionAndroid:
            normalised = bytes.map(\.lowercased)
            guard Self.isIMEI(normalised) || Self.isMEID(normalised) else { throw .malformedDevice }
        }
        guard !Self.isZero(normalised) else { throw .zeroDevice }
        self.text = Digest.md5.hexadecimal(normalised)
    }

    /// From a digest that somebody else has computed.
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

    /// 15 digits; 14 without the check digit, 16 with a software version.
    private static func isIMEI(_ bytes: [UInt8]) -> Bool {
        (14...16).contains(bytes.count) && bytes.allSatisfy(\.isDigit)
    }

    /// 14 digits, 15 with the check digit.
    private static func isMEID(_ bytes: [UInt8]) -> Bool {
        (14...15).contains(bytes.count) && bytes.allSatisfy(\.isLowercaseHexadecimal)
    }

    private static func isZero(_ bytes: [UInt8]) -> Bool {
        bytes.allSatisfy { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: "-") }
    }
}
