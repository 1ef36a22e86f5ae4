import Cryptography
package import Operations

/// What stands for a value that nobody may read: `#` and twelve hexadecimal digits of a keyed hash.
///
/// Equal values have equal marks under one salt. Logs of the fleet mask the same way, so that with their salt a device
/// can be followed from the log to its dead letter.
package struct KeyedMark: Sendable {
    private let authentication: MessageAuthentication

    package init(salt: Secret) { self.authentication = MessageAuthentication(key: salt.revealBytes()) }

    /// The mark as a number of 48 bits.
    package func number(_ bytes: [UInt8]) -> Int64 {
        self.authentication(bytes).prefix(6).reduce(0) { $0 << 8 | Int64($1) }
    }

    /// The same for millions.
    func number(_ bytes: [UInt8], with machine: DigestMachine, in memory: inout [UInt8]) -> Int64 {
        self.authentication(bytes, with: machine, into: &memory)
        return memory.prefix(6).reduce(0) { $0 << 8 | Int64($1) }
    }

    package func text(_ bytes: [UInt8]) -> String { Self.text(self.number(bytes)) }

    package static func text(_ number: Int64) -> String {
        let digits = String(number, radix: 16)
        return "#" + String(repeating: "0", count: max(0, 12 - digits.utf8.count)) + digits
    }

    /// A number that tells one salt from another, and nothing else about it.
    var saltCheck: Int32 { Int32(truncatingIfNeeded: self.number(Array("salt".utf8)) & 0x7FFF_FFFF) }
}
