/// The events of one upload as a phone would serialise them, in both forms. The code shares nothing with the
/// codec of the workers.
package struct PhoneEvents {
    typealias Field = (number: UInt64, name: String, value: Value)

    enum Value {
        case text(String)
        case number(UInt64)
        case map([(String, String)])
    }

    private let events: [[Field]]

    /// Makes a usual batch: a visit, an activation, and then pages, clicks and custom events in turn.
    package init(count: Int) {
        let phone = Phone(
            deviceID: "8C6D2F0A-5B1E-4C7D-9A3F-0E1D2C3B4A59",
            dataSource: "ds0000000000001",
            identifier: .idfa("1E2DFA89-496A-47FD-9941-DF1FC4E6484A")
        )
        self.events = (0..<count).map { index in
            let type: PhoneEvent =
                index == 0 ? .visit : index == 1 ? .activate("$app_activation") : .others[index % 3]
            return phone.fields(
                of: type,
                sequence: UInt64(index) + 1,
                at: 1_700_000_000_123 + UInt64(index) * 731
            )
        }
    }

    /// Makes the events of a phone, in their order, a second apart.
    ///
    /// - Parameter time: the time of the first one, in milliseconds since 1970.
    package init(_ types: [PhoneEvent], of phone: Phone, from time: Int64) {
        self.events = types.enumerated().map { index, type in
            phone.fields(
                of: type,
                sequence: UInt64(index) + 1,
                at: UInt64(clamping: time) + UInt64(index) * 1_000
            )
        }
    }

    // MARK: - JSON, as NSJSONSerialization writes it

    package var json: [UInt8] {
        Array(("[" + self.events.map(Self.object).joined(separator: ",") + "]").utf8)
    }

    private static func object(_ fields: [Field]) -> String {
        let members = fields.map { field in
            let value: String
            switch field.value {
            case .text(let text): value = self.quoted(text)
            case .number(let number):
                let type = PhoneEvent.names[number]
                value = field.name == "eventType" ? self.quoted(type ?? "VISIT") : String(number)
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

    package var protobuf: [UInt8] {
        self.events.flatMap { fields in
            let message = fields.flatMap { field -> [UInt8] in
                switch field.value {
                case .text(let text): Self.bytes(field.number, Array(text.utf8))
                // Protobuf writes no zero, so the type of a visit is absent.
                case .number(0): []
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
