import Compression

/// The events of one upload of GrowingIO's SDKs.
///
/// The SDK serialises (JSON or protobuf), compresses (LZ4 on iOS, Snappy on Android, or not at all) and
/// encrypts (one byte XORed over the body, or not at all); headers tell which. Here the steps are undone in
/// the reverse order. The SDK sends an upload again until it is answered with a 2xx status, so the same events
/// can arrive twice, also in another upload.
package struct SDKUpload: Sendable {
    /// The bounds of what is decoded.
    package struct Limits: Hashable, Sendable {
        /// The most bytes of the body. The SDK sends about 2 MiB at most.
        package var bodyBytes = 4 << 20
        /// The most bytes after decompression. The ratio can reach 255.
        package var decodedBytes = 8 << 20
        /// The most events. The SDK sends 500 at most.
        package var events = 1_000
        /// The most fields of all events, each entry of a map counted. An event of the SDK has some 30.
        package var fields = 500_000

        package init() {}
    }

    /// The account of the project that the upload names. The phone has chosen it.
    package var account: String
    /// The events that say whose they are, from which app, and when they happened.
    package var events: SDKEvents
    /// The number of events that do not say so.
    package var dropped: Int
    /// The address from which the upload came; nil if it is unknown.
    package var clientIP: String?

    /// Decodes an upload as a whole, or not at all.
    ///
    /// - Parameter ciphers: The encryptions that are known.
    package init(
        decoding request: SDKUploadRequest,
        limits: Limits = Limits(),
        ciphers: UploadCiphers = .standard
    ) throws(SDKUploadFault) {
        guard request.method.isExactly("POST") else { throw .method }
        guard let account = request.account else { throw .target }
        guard request.body.count <= limits.bodyBytes else { throw .tooLarge }
        // In this order a fault is named by the first layer that cannot be undone, whatever a phone claims of the
        // layers below it.
        let compressed = try ciphers.decrypted(request)
        guard compressed.count <= limits.bodyBytes else { throw .tooLarge }
        let bytes = try Self.decompressed(compressed, request.compressCodec, within: limits)
        let isProtobuf = try Self.isProtobuf(request.contentType)
        let reader = SDKEventReader(limits: limits)
        let (text, values, tally) = isProtobuf ? try reader.protobuf(bytes) : try reader.json(bytes)
        self.account = account
        self.events = SDKEvents(SDKEvent.Source(text, values), tally.events)
        self.dropped = tally.dropped
        self.clientIP = request.clientIP
    }

    private static func isProtobuf(_ contentType: String?) throws(SDKUploadFault) -> Bool {
        guard let contentType else { return false }
        switch ContentType(Array(contentType.utf8)) {
        case .json: return false
        case .protobuf: return true
        default: throw .contentType
        }
    }

    private static func decompressed(
        _ bytes: [UInt8],
        _ codec: String?,
        within limits: Limits
    ) throws(SDKUploadFault) -> [UInt8] {
        // No codec has so long a number, and a phone chooses the text.
        guard (codec?.utf8.count ?? 0) <= 20 else { throw .unknownCompressCodec }
        switch codec {
        case nil, "0":
            guard bytes.count <= limits.decodedBytes else { throw .tooLarge }
            return bytes
        case "2":
            do throws(BlockFault) {
                return try SnappyBlock.decompress(bytes, limit: limits.decodedBytes)
            } catch {
                throw .snappy(error)
            }
        case "3":
            do throws(BlockFault) {
                return try LZ4Block.decompress(bytes, limit: limits.decodedBytes)
            } catch {
                throw .lz4(error)
            }
        default: throw .unknownCompressCodec
        }
    }
}
