/// The events of one upload as a phone would serialise them, in both forms. The code shares nothing with the
/// codec of the workers.
struct PhoneEvents {
    private enum Value {
        case text(String)
        case number(UInt64)
        case map([(String, String)])
    }

    private let events: [[(number: UInt64, name: String, value: Value)]]

    /// Makes a usual batch: a visit, an activation, and then pages, clicks and custom events in turn.
    init(count: Int) {
        self.events = (0..<count).map(Self.event)
    }

    private static let types: [(name: String, number: UInt64)] = [
        ("PAGE", 6), ("VIEW_CLICK", 8), ("CUSTOM", 1),
    ]

    private static func event(_ index: Int) -> [(number: UInt64, name: String, value: Value)] {
        let type = index == 0 ? ("VISIT", 0) : index == 1 ? ("ACTIVATE", 11) : self.types[index % 3]
        var fields: [(number: UInt64, name: String, value: Value)] = [
            (1, "deviceId", .text("8C6D2F0A-5B1E-4C7D-9A3F-0E1D2C3B4A59")),
            (4, "sessionId", .text("351B2E50-1BE9-4B17-B899-49445F305EC6")),
            (5, "dataSourceId", .text("ds0000000000001")),
            (7, "platform", .text("iOS")), (8, "timestamp", .number(1_700_000_000_123 + UInt64(index) * 731)),
            (9, "domain", .text("com.example.fleet")), (15, "eventSequenceId", .number(UInt64(index) + 1)),
            (16, "screenHeight", .number(2_556)), (17, "screenWidth", .number(1_179)),
            (18, "language", .text("zh-Hans-CN")), (19, "sdkVersion", .text("4.11.0")),
            (20, "appVersion", .text("2.1.0")), (31, "urlScheme", .text("growing.1234567890abcdef")),
            (32, "appState", .text("FOREGROUND")), (33, "networkState", .text("WIFI")),
            (36, "platformVersion", .text("17.4.1")), (37, "deviceBrand", .text("Apple")),
            (38, "deviceModel", .text("iPhone15,2")), (39, "deviceType", .text("iPhone")),
            (42, "appName", .text("Fleet")), (57, "timezoneOffset", .text("-480")),
        ]
        fields.append((6, "eventType", type.1 == 0 ? .text(type.0) : .number(type.1)))
        switch type.0 {
        case "VISIT": fields.append((50, "idfa", .text("1E2DFA89-496A-47FD-9941-DF1FC4E6484A")))
        case "ACTIVATE":
            fields.append((22, "eventName", .text("$app_activation")))
            fields.append((50, "idfa", .text("1E2DFA89-496A-47FD-9941-DF1FC4E6484A")))
            fields.append((24, "attributes", .map([("userAgent", "Mozilla/5.0 (iPhone) Mobile/15E148")])))
        case "CUSTOM":
            fields.append((22, "eventName", .text("pay")))
            fields.append((24, "attributes", .map([("amount", "\(index).50"), ("goods", "鞋")])))
        default:
            fields.append((10, "path", .text("/shop/item/\(index % 17)/")))
            fields.append((12, "title", .text("商品 \(index % 17)")))
        }
        return fields
    }

    // MARK: - JSON, as NSJSONSerialization writes it

    var json: [UInt8] {
        Array(("[" + self.events.map(Self.object).joined(separator: ",") + "]").utf8)
    }

    private static func object(_ fields: [(number: UInt64, name: String, value: Value)]) -> String {
        let members = fields.map { field in
            let value: String
            switch field.value {
            case .text(let text): value = self.quoted(text)
            case .number(let number):
                let type = self.types.first { $0.number == number }?.name ?? "ACTIVATE"
                value = field.name == "eventType" ? self.quoted(type) : String(number)
            case .map(let entries):
                value =
                    "{" + entries.map { "\(self.quoted($0)):\(self.quoted($1))" }.joined(separator: ",") + "}"
            }
            return "\"\(field.name)\":\(value)"
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    /// The texts of these events have nothing to escape but slashes.
    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("/", with: "\\/") + "\""
    }

    // MARK: - Protobuf

    var protobuf: [UInt8] {
        self.events.flatMap { fields in
            let message = fields.flatMap { field -> [UInt8] in
                switch field.value {
                case .text("VISIT"): []
                case .text(let text): Self.bytes(field.number, Array(text.utf8))
                case .number(let number): Self.varint(field.number << 3) + Self.varint(number)
                case .map(let entries):
                    entries.flatMap { name, value in
                        let entry = Self.bytes(1, Array(name.utf8)) + Self.bytes(2, Array(value.utf8))
                        return Self.bytes(field.number, entry)
                    }
                }
            }
            return Self.bytes(1, message)
        }
    }

    private static func bytes(_ number: UInt64, _ content: [UInt8]) -> [UInt8] {
        self.varint(number << 3 | 2) + self.varint(UInt64(content.count)) + content
    }

    private static func varint(_ number: UInt64) -> [UInt8] {
        number < 0x80 ? [UInt8(number)] : [UInt8(number & 0x7F) | 0x80] + self.varint(number >> 7)
    }
}
