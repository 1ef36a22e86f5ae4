/// The times that Apple writes in receipts.
enum ReceiptDate {
    /// RFC 3339, with or without the colon in the offset from UTC: Xcode writes `+0100`.
    static func milliseconds(_ text: [UInt8]) -> Int64? {
        var bytes = text
        let offset = bytes.suffix(5)
        if bytes.count >= 24, let sign = offset.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
            offset.dropFirst().allSatisfy(\.isDigit)
        {
            bytes.insert(UInt8(ascii: ":"), at: bytes.count - 2)
        }
        return RFC3339.milliseconds(bytes)
    }
}
