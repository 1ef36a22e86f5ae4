import Foundation
import Records
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
        for event in upload.events.prefix(4) {
            let id = event.id
            try claim(
                "an id is hexadecimal",
                id.utf8.count == 32 && id.utf8.allSatisfy(\.isLowercaseHexadecimal)
            )
            let record = event.record(
                id: id,
                account: upload.account,
                upload: "sdk-upload/0/7",
                receivedAt: InputReader.now,
                clientIP: nil
            )
            try claim("an event is published as JSON", JSONObject(record)?.string("id") == id)
        }
    }

    /// A record of the uploads' topic: headers, an empty line, the body. These bytes are also tried as
    /// the JSON that people write by hand.
    static let uploadRequest = FuzzTarget(
        "upload-request",
        longestInput: 1_024,
        words: [
            "upload.target: /v3/projects/a/collect?stm=", "upload.method: PUT\n",
            "upload.client_ip: 1.2.3.4\n",
            "X-CRYPT-CODEC: 1\n", "x-compress-codec: 3\n", "Content-Type: application/protobuf\n", "\n\n",
            "18446744073709551615", "-1", #"{"target":"/v3/projects/a/collect","body_base64":"","#,
            #""headers":{"#, #""client_ip":"#,
        ]
    ) { input in
        if let request = SDKUploadRequest(json: input) { try Self.check(request) }
        var reader = InputReader(input)
        guard let request = SDKUploadRequest(of: reader.record(topic: "sdk-upload")) else { return }
        try Self.check(request)
    }

    private static func check(_ request: SDKUploadRequest) throws {
        let record = request.record(to: "sdk-upload")
        var inbound = InboundRecord(topic: "sdk-upload", partition: 0, offset: 7)
        inbound.headers = record.headers
        inbound.value = record.value
        var known = request
        known.clientIP = request.clientIP.flatMap { IPAddress.isValid($0) ? $0 : nil }
        try claim("a request is read as it was written", SDKUploadRequest(of: inbound) == known)
        if let account = request.account {
            try claim(
                "an account is short and visible",
                (1...128).contains(account.utf8.count) && account.utf8.allSatisfy(\.isVisible)
            )
        }
        let bytes: [UInt8]
        do throws(SDKUploadFault) {
            bytes = try UploadCiphers.standard.decrypted(request)
        } catch {
            return try claim(
                "the query and the codec are the only faults",
                error == .stm || error == .unknownCryptCodec
            )
        }
        if request.cryptCodec == "1" {
            var again = request
            again.body = bytes
            try claim(
                "to encrypt twice is to decrypt",
                try UploadCiphers.standard.decrypted(again) == request.body
            )
        }
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
