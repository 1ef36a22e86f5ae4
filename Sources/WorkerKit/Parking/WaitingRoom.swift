/// What a record waits for that is not its turn.
package enum WaitingRoom: Hashable, Sendable {
    /// An endpoint, by its name, that may not be called now, or in which its last call has failed.
    case endpoint(String)
    /// A lane that is held.
    case lane(String)
    /// A dead-letter budget that has no room.
    case budget(lane: String, reason: String)
    /// Room in this worker alone.
    case any

    /// The room of a record that stands behind one of its key which waits here. A budget is the matter of that one alone:
    /// the next waits for its turn.
    var ofFollowers: WaitingRoom {
        if case .budget = self { .any } else { self }
    }

    /// As a ticket has it: without a space, and empty where there is nothing to say.
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

    /// A text that nobody understands stands for `any`: whoever comes out of that room finds the right one by himself.
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

    /// Everything but letters, digits and a few marks as `%` and two digits.
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
