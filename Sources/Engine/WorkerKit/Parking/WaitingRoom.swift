/// The condition that a parked record waits for, apart from its turn.
package enum WaitingRoom: Hashable, Sendable {
    /// The endpoint of this name: it may not be called now, or the record's last call to it has failed.
    case endpoint(String)
    /// The lane of this name, which is held.
    case lane(String)
    /// The dead-letter budget of this lane and reason, which has no room.
    case budget(lane: String, reason: String)
    /// Room in this worker, and nothing else.
    case any

    /// The room of the records of the same key behind a record that waits here. A budget concerns that one
    /// record alone: the next record waits only for its turn.
    var ofFollowers: WaitingRoom {
        if case .budget = self { .any } else { self }
    }

    /// The room as a ticket has it: without a space, and empty for `any`. It is empty too if it would be
    /// longer than 512 bytes.
    package var text: String {
        let text =
            switch self {
            case .endpoint(let name): "endpoint:" + Self.escaped(name)
            case .lane(let name): "lane:" + Self.escaped(name)
            case .budget(let lane, let reason): "budget:\(Self.escaped(lane)):\(Self.escaped(reason))"
            case .any: ""
            }
        return text.utf8.count <= Self.textBytesLimit ? text : ""
    }

    /// Reads the room from a ticket. A text that is not understood counts as `any`: a record that leaves that
    /// room finds the right one by itself.
    package init(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map {
            Self.unescaped(String($0))
        }
        switch (parts.first, parts.count) {
        case ("endpoint", 2): self = .endpoint(parts[1])
        case ("lane", 2): self = .lane(parts[1])
        case ("budget", 3): self = .budget(lane: parts[1], reason: parts[2])
        default: self = .any
        }
    }

    private static let textBytesLimit = 512

    /// Returns the name with every byte but letters, digits, `.`, `_` and `-` as `%` and two hexadecimal
    /// digits.
    private static func escaped(_ name: String) -> String {
        var text = ""
        for byte in name.utf8 {
            let isPlain =
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
            if isPlain {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
            }
        }
        return text
    }

    private static func unescaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else {
                bytes.append(byte)
                continue
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
