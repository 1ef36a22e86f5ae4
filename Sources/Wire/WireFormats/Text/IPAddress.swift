/// A check of the text forms of IP addresses, as strict as `inet_pton`: no zone, no leading zeros in a dotted
/// quad, no surrounding space.
package enum IPAddress {
    /// Returns whether the text is an IPv4 or an IPv6 address.
    package static func isValid(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count <= 45 else { return false }
        return self.isIPv4(bytes[...]) || self.isIPv6(bytes)
    }

    private static func isIPv4(_ text: ArraySlice<UInt8>) -> Bool {
        var dots = 0
        var digits = 0
        var number = 0
        for byte in text {
            if byte == UInt8(ascii: ".") {
                guard digits > 0, dots < 3 else { return false }
                dots += 1
                digits = 0
                number = 0
            } else {
                guard byte.isDigit, digits == 0 || number > 0 else { return false }
                digits += 1
                number = number * 10 + Int(byte - UInt8(ascii: "0"))
                guard number <= 255 else { return false }
            }
        }
        return dots == 3 && digits > 0
    }

    private static func isIPv6(_ text: [UInt8]) -> Bool {
        let colon = UInt8(ascii: ":")
        let gaps = text.indices.dropLast().filter { text[$0] == colon && text[$0 + 1] == colon }
        switch gaps.count {
        case 0:
            return self.groups(text[...]) == 8
        case 1:
            // The "::" stands for at least one group of zeros.
            guard let head = self.groups(text[..<gaps[0]], mayEndInIPv4: false),
                let tail = self.groups(text[(gaps[0] + 2)...])
            else { return false }
            return head + tail <= 7
        default:
            return false
        }
    }

    /// Returns how many 16-bit groups the text spells, 0 if it is empty; nil if it is not a run of groups.
    private static func groups(_ text: ArraySlice<UInt8>, mayEndInIPv4: Bool = true) -> Int? {
        guard !text.isEmpty else { return 0 }
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var count = 0
        for (index, part) in parts.enumerated() {
            if (1...4).contains(part.count), part.allSatisfy(\.isHexadecimal) {
                count += 1
            } else if mayEndInIPv4, index == parts.count - 1, self.isIPv4(part) {
                count += 2
            } else {
                return nil
            }
        }
        return count
    }
}
