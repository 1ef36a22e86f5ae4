import Cryptography

/// Ids of a device beside its IDFA or IMEI. The Marketing API takes them with a muid, or in place of one; GDT's
/// scheme 2 takes none of them.
///
/// Source of the fields and of their digests: Tencent's documents of `user_actions/add` and DataNexus.
package struct DeviceIDs: Hashable, Sendable {
    /// The id of the China Advertising Association for an iOS device.
    package struct CAID: Hashable, Sendable {
        /// 1 to 64 letters, digits, hyphens and underscores of ASCII.
        package var id: String
        /// Tencent's number of the version, such as `1005`.
        package var version: String

        /// Nil for an id or a version of another form.
        package init?(_ id: String, version: String) {
            guard (1...64).contains(id.utf8.count), (1...32).contains(version.utf8.count),
                (id + version).utf8.allSatisfy({ $0.isAlphanumeric || "-_".utf8.contains($0) })
            else { return nil }
            self.id = id
            self.version = version
        }
    }

    /// The MD5 of the OAID as it is.
    package var hashOAID: MUID?
    /// The MD5 of the Android id as it is.
    package var hashAndroidID: MUID?
    package var caid: CAID?

    /// No ids.
    package init() {}

    /// The digest of the first id, by which a device without a muid is known to us; nil if there is no id.
    package var first: MUID? {
        self.hashOAID ?? self.hashAndroidID ?? self.caid.flatMap { Self.digest(of: $0.id) }
    }

    /// Returns the digest of an id; nil for an id of zeros only, which stands for none.
    private static func digest(of id: String) -> MUID? {
        guard !id.utf8.allSatisfy({ $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: "-") }) else { return nil }
        return try? MUID(digest: String(decoding: Digest.md5.hexadecimal(Array(id.utf8)), as: UTF8.self))
    }
}

extension DeviceIDs {
    /// Takes the ids of an event of an SDK, as far as a device of this system has them.
    package init(_ activation: SDKActivation, of appType: AppType) {
        switch appType {
        case .ios: self.caid = activation.caid.flatMap(CAID.init(latestIn:))
        case .android, .unionAndroid:
            self.hashOAID = activation.oaid.flatMap(Self.digest)
            self.hashAndroidID = activation.androidID.flatMap(Self.digest)
        }
    }
}

extension DeviceIDs.CAID {
    /// The association's versions, oldest first, with Tencent's numbers of them.
    private static let versions = [("20201230", "1003"), ("20211207", "1004"), ("20220111", "1005")]
    /// The longest text of an SDK that is read, in bytes. A device has one or two ids.
    private static let textBytesLimit = 4_096
    /// More bytes than any version has.
    private static let versionBytesLimit = 32

    /// Reads the SDK's attribute `CAID`: a list of objects with `caid` and `version`. The id of the latest version
    /// that Tencent has a number for is taken; nil if there is none.
    fileprivate init?(latestIn text: String) {
        guard text.utf8.count <= Self.textBytesLimit, let outline = JSONOutline(Array(text.utf8)),
            outline.kind(outline.root) == .array
        else { return nil }
        var found: [String: String] = [:]
        var index = outline.root + 1
        while index < outline.index(after: outline.root) {
            if outline.kind(index) == .object,
                let id = outline.member(index, "caid").flatMap({ outline.string($0) }),
                let version = outline.member(index, "version").flatMap({ outline.string($0) }),
                version.utf8.count <= Self.versionBytesLimit
            {
                found[version] = id
            }
            index = outline.index(after: index)
        }
        for (version, number) in Self.versions.reversed() {
            guard let id = found[version], let caid = Self(id, version: number) else { continue }
            self = caid
            return
        }
        return nil
    }
}
