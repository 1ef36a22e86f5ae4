/// The times that Apple writes in receipts.
enum ReceiptDate {
    /// RFC 3339, with or without the colon in the offset from UTC: Xcode writes `+0100`.
    static func milliseconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        let offset = bytes.suffix(5)
        guard bytes.count >= 24, let sign = offset.first,
            sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
            offset.dropFirst().allSatisfy(\.isDigit)
        else { return RFC3339.milliseconds(text) }
        let withColon = bytes.dropLast(2) + [UInt8(ascii: ":")] + bytes.suffix(2)
        return RFC3339.milliseconds(String(decoding: withColon, as: UTF8.self))
    }
}
