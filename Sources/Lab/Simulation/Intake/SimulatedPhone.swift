import Records
import WireFormats

/// A phone whose app uploads its first start, and the click that has led to it.
struct SimulatedPhone {
    /// The account and the data source that the intake knows.
    static let account = "0a1b22c33d44e55f"
    static let dataSource = "1234567890abcdef"

    /// A number that tells the phone from all others.
    var number: UInt64
    var deviceID: String
    /// The time of the first start by the phone's clock, in milliseconds since 1970.
    var startedAt: Int64
    /// The encodings of its upload: 0 is plain JSON, 1 is encrypted, 2 is compressed.
    var encoding = 0

    init(_ number: UInt64, startedAt: Int64, deviceID: String? = nil) {
        self.number = number
        self.startedAt = startedAt
        self.deviceID = deviceID ?? "device \(number)"
    }

    /// The advertising identifier. It never begins with eight zeros, which would count as none.
    var idfa: String {
        let digits = String(self.number, radix: 16, uppercase: true)
        return "A1B2C3D4-0000-4000-8000-" + String(repeating: "0", count: 12 - min(12, digits.count)) + digits
    }

    /// The digest of the identifier, under which the activation is reported.
    var muid: String {
        (try? MUID(deviceID: self.idfa, of: .ios)).map { String(decoding: $0.text, as: UTF8.self) } ?? ""
    }

    var clickID: String { "click-\(self.number)" }

    /// The events: the first start and a page.
    var body: [UInt8] {
        let start =
            #"{"deviceId":"\#(self.deviceID)","dataSourceId":"\#(Self.dataSource)","timestamp":\#(self.startedAt)"#
        return Array(
            "[\(start),\"eventType\":\"ACTIVATE\",\"idfa\":\"\(self.idfa)\"},\(start),\"eventType\":\"PAGE\",\"path\":\"/\(self.number)\"}]"
                .utf8
        )
    }

    /// The upload, with as many events as `body` has.
    var upload: SimulatedUpload {
        switch self.encoding {
        case 1:
            SimulatedUpload(
                target: SimulatedUpload.target + "?stm=1750000000007",
                headers: ["X-Crypt-Codec": "1"],
                body: self.body.map { $0 ^ UInt8(truncatingIfNeeded: 1_750_000_000_007) }
            )
        case 2:
            SimulatedUpload(headers: ["X-Compress-Codec": "3"], body: SimulatedUpload.lz4(self.body))
        default: SimulatedUpload(body: self.body)
        }
    }

    /// The query of the click that has led to the first start, in the old names.
    func click(secondsBefore seconds: Int64) -> String {
        "muid=\(self.muid)&click_time=\(self.startedAt / 1_000 - seconds)&click_id=\(self.clickID)&appid=112233"
    }
}

/// The request of an upload as a record, and the code with which the intake has to refuse it.
struct SimulatedUpload {
    static let target = "/v3/projects/\(SimulatedPhone.account)/collect"

    var method = "POST"
    var target = Self.target
    var headers: [String: String] = [:]
    var body: [UInt8]
    /// The code of the outcome; nil for an upload that is taken.
    var code: String?

    /// The headers of its record.
    var recordHeaders: [RecordHeader] {
        [RecordHeader("upload.target", self.target), RecordHeader("upload.method", self.method)]
            + self.headers.sorted { $0.key < $1.key }.map { RecordHeader($0.key, $0.value) }
    }

    /// Returns an LZ4 block that consists of literals only.
    static func lz4(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= 15 else { return [UInt8(bytes.count) << 4] + bytes }
        let rest = bytes.count - 15
        return [0xF0] + [UInt8](repeating: 0xFF, count: rest / 255) + [UInt8(rest % 255)] + bytes
    }
}

// The tables are written by hand and not made by the decoder, whose codes they judge.
extension SimulatedUpload {
    private static func text(_ text: String, _ code: String, headers: [String: String] = [:]) -> Self {
        SimulatedUpload(headers: headers, body: Array(text.utf8), code: code)
    }

    private static func block(_ codec: String, _ body: [UInt8], code: String) -> Self {
        SimulatedUpload(headers: ["X-Compress-Codec": codec], body: body, code: code)
    }

    private static func encrypted(_ query: String) -> Self {
        SimulatedUpload(
            target: Self.target + query,
            headers: ["X-Crypt-Codec": "1"],
            body: [1],
            code: "upload.stm"
        )
    }

    /// An upload for each code of a request that cannot be read, but for its size.
    static let bad: [SimulatedUpload] = [
        SimulatedUpload(method: "GET", body: [], code: "upload.method"),
        SimulatedUpload(target: "/v2/projects/a/collect", body: [], code: "upload.target"),
        text("[]", "upload.content_type", headers: ["Content-Type": "text/plain"]),
        encrypted(""), encrypted("?stm=-1"), encrypted("?stm=" + String(repeating: "9", count: 30)),
        text("[]", "upload.unknown_crypt_codec", headers: ["X-Crypt-Codec": "9"]),
        text("[]", "upload.unknown_compress_codec", headers: ["X-Compress-Codec": "9"]),
        block("3", [0x10, 0x61, 0xFF, 0x7F], code: "upload.lz4_offset"),
        block("3", [0xF0], code: "upload.lz4_truncated"),
        block("2", [0x05, 0x0E, 0x10, 0x00], code: "upload.snappy_offset"),
        block("2", [0x05, 0x10, 0x61], code: "upload.snappy_truncated"),
        text("[{", "upload.json"), text("{}", "upload.json_shape"), text("[1]", "upload.json_shape"),
        SimulatedUpload(
            headers: ["Content-Type": "application/protobuf"],
            body: [0xFF, 0xFF],
            code: "upload.protobuf"
        ),
    ]

    /// Uploads that a worker must not unfold.
    static let bombs: [SimulatedUpload] = [
        // One literal that is repeated ten million times.
        block(
            "3",
            [0x1F, 0x61, 0x01, 0x00] + [UInt8](repeating: 0xFF, count: 40_000) + [0x00, 0x00],
            code: "upload.too_large"
        ),
        // A block that announces 4 GiB.
        block("2", [0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0x00, 0x41], code: "upload.too_large"),
        text("[" + String(repeating: "{},", count: 1_000) + "{}]", "upload.too_many_events"),
        text(String(repeating: "[", count: 50_000), "upload.json"),
    ]
}
