import Compression

/// The reason why an upload cannot be decoded. The phone that sent it has chosen every byte of it, and the
/// same bytes fail again, so the upload ends in a final refusal. Nothing of it is used.
package enum SDKUploadFault: String, Error, Hashable, Sendable, CaseIterable {
    case method
    case target
    case contentType = "content_type"
    case stm
    case crypt
    case unknownCryptCodec = "unknown_crypt_codec"
    case unknownCompressCodec = "unknown_compress_codec"
    case lz4Offset = "lz4_offset"
    case lz4Truncated = "lz4_truncated"
    case lz4Malformed = "lz4_malformed"
    case snappyOffset = "snappy_offset"
    case snappyTruncated = "snappy_truncated"
    case snappyMalformed = "snappy_malformed"
    case tooLarge = "too_large"
    case tooManyEvents = "too_many_events"
    case json
    case jsonShape = "json_shape"
    case protobuf

    /// The reason for outcomes, such as `upload.lz4_offset`. It quotes nothing of the upload.
    package var reason: Reason { Reason("upload.\(self.rawValue)", self.message) }

    private var message: String {
        switch self {
        case .method: "The upload is not a POST."
        case .target: "The request's target is not /v3/projects/{account}/collect."
        case .contentType: "The upload's content type is neither JSON nor protobuf."
        case .stm: "The upload is encrypted, and the stm of its query is missing or no number."
        case .crypt: "The upload cannot be decrypted by the encryption that is registered for its number."
        case .unknownCryptCodec: "X-Crypt-Codec names an encryption that no SDK has."
        case .unknownCompressCodec: "X-Compress-Codec names a compression that no SDK has."
        case .lz4Offset: "The LZ4 block copies from before its beginning: a wrong stm, or no LZ4."
        case .lz4Truncated: "The LZ4 block ends too early."
        case .lz4Malformed: "The LZ4 block cannot be decompressed."
        case .snappyOffset: "The Snappy block copies from before its beginning: a wrong stm, or no Snappy."
        case .snappyTruncated: "The Snappy block ends too early."
        case .snappyMalformed: "The Snappy block cannot be decompressed."
        case .tooLarge: "The upload is larger than a worker reads, before or after decompression."
        case .tooManyEvents: "The upload has more events than a worker reads at once."
        case .json: "The upload is not JSON, or nests more than 64 levels."
        case .jsonShape: "The upload is JSON, but not a list of events."
        case .protobuf: "The upload is not a list of events in protobuf."
        }
    }

    static func lz4(_ fault: BlockFault) -> SDKUploadFault {
        switch fault {
        case .truncated: .lz4Truncated
        case .offset: .lz4Offset
        case .tooLarge: .tooLarge
        case .malformed: .lz4Malformed
        }
    }

    static func snappy(_ fault: BlockFault) -> SDKUploadFault {
        switch fault {
        case .truncated: .snappyTruncated
        case .offset: .snappyOffset
        case .tooLarge: .tooLarge
        case .malformed: .snappyMalformed
        }
    }
}
