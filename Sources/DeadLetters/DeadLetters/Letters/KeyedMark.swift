import Cryptography
package import Operations

/// Makes marks that stand for values that must not be shown: `#` and twelve hexadecimal digits of a keyed
/// hash.
///
/// Equal values have equal marks under one salt. The logs of the fleet mask values in this way too. With the
/// salt of the logs, a device can be followed from a log line to its dead letter.
package struct KeyedMark: Sendable {
    private let authentication: MessageAuthentication

    /// Creates the marks of one salt, which is the key of the hash.
    package init(salt: Secret) { self.authentication = MessageAuthentication(key: salt.revealBytes()) }

    /// Returns the mark of a value as a number of 48 bits.
    package func number(_ bytes: [UInt8]) -> Int64 {
        self.authentication(bytes).prefix(6).reduce(0) { $0 << 8 | Int64($1) }
    }

    /// Returns the mark of a value as a number of 48 bits, in memory of the caller, for a loop over millions
    /// of values.
    func number(_ bytes: [UInt8], with machine: DigestMachine, in memory: inout [UInt8]) -> Int64 {
        self.authentication(bytes, with: machine, into: &memory)
        return memory.prefix(6).reduce(0) { $0 << 8 | Int64($1) }
    }

    /// Returns the mark of a value as it is shown, such as `#cefc16e0e2b2`.
    package func text(_ bytes: [UInt8]) -> String { Self.text(self.number(bytes)) }

    /// Returns a mark as it is shown, from its number of 48 bits.
    package static func text(_ number: Int64) -> String {
        let digits = String(number, radix: 16)
        return "#" + String(repeating: "0", count: max(0, 12 - digits.utf8.count)) + digits
    }

    /// A number of 31 bits that differs from salt to salt and reveals nothing else about the salt.
    var saltCheck: Int32 { Int32(truncatingIfNeeded: self.number(Array("salt".utf8)) & 0x7FFF_FFFF) }
}
