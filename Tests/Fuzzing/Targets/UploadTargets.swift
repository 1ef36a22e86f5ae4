import Foundation
import TestMaterial

@testable import Compression
@testable import WireFormats

extension FuzzTarget {
    /// The forms of an upload, by the bits of the first byte of an input: protobuf, LZ4, Snappy, XOR. The second
    /// byte is the factor, the rest is the body.
    private static func request(_ input: [UInt8]) -> SDKUploadRequest? {
        guard input.count >= 2 else { return nil }
        var headers = [("content-type", input[0] & 1 == 0 ? "application/json" : "application/protobuf")]
        if input[0] & 2 != 0 { headers.append(("X-Compress-Codec", input[0] & 4 == 0 ? "3" : "2")) }
        if input[0] & 8 != 0 { headers.append(("X-Crypt-Codec", "1")) }
        return SDKUploadRequest(
            target: "/v3/projects/a/collect?stm=\(input[1])",
            headers: headers,
            body: Array(input.dropFirst(2))
        )
    }

    static let sdkUpload = FuzzTarget(
        "sdk-upload",
        longestInput: 4_096,
        words: [
            #"[{"deviceId":"d","dataSourceId":"s","timestamp":1,"#, #""eventType":"ACTIVATE","#, "\\u0061",
        ],
        seeds: {
            UploadRow.all.filter { $0.body.count < 4_000 }.map { row in
                let isProtobuf = row.name.hasPrefix("pb") || row.name.hasSuffix("protobuf")
                return [isProtobuf ? 1 : 0, 0] + row.body
            }
        }
    ) { input in
        guard let request = FuzzTarget.request(input) else { return }
        var limits = SDKUpload.Limits()
        limits.decodedBytes = 1 << 16
        limits.events = 64
        let upload: SDKUpload
        do throws(SDKUploadFault) {
            upload = try SDKUpload(decoding: request, limits: limits)
        } catch { return }
        try claim("there are no more events than allowed", upload.events.count + upload.dropped <= 64)
        try claim("the JSON of an upload is JSON", JSONOutline(upload.json) != nil)
        try claim(
            "an activation happened after 1970",
            upload.activations.allSatisfy { $0.timestampMS > 0 && $0.convertedAt >= 0 }
        )
    }

    static let lz4Block = FuzzTarget("lz4-block", words: ["\u{1f}a\u{1}\0", "\u{ff}\u{ff}"]) { input in
        try FuzzTarget.checkBlock { limit throws(BlockFault) in try LZ4Block.decompress(input, limit: limit) }
    }

    static let snappyBlock = FuzzTarget("snappy-block", words: ["\u{0c}\u{0c}abcd\u{11}\u{4}"]) { input in
        try FuzzTarget.checkBlock { limit throws(BlockFault) in
            try SnappyBlock.decompress(input, limit: limit)
        }
    }

    /// Checks that the limit is a limit, and nothing else.
    private static func checkBlock(_ decompress: (Int) throws(BlockFault) -> [UInt8]) throws {
        let output: [UInt8]
        do throws(BlockFault) {
            output = try decompress(1 << 20)
        } catch { return }
        try claim("a limit that is met does not matter", try decompress(output.count) == output)
        guard !output.isEmpty else { return }
        var fault: BlockFault?
        do throws(BlockFault) {
            _ = try decompress(output.count - 1)
        } catch {
            fault = error
        }
        try claim("a limit that is exceeded is named", fault == .tooLarge)
    }
}
