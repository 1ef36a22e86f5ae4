/// The percent-encoding of the text that a GDT signature is computed over.
enum PercentEncoding {
    /// Appends `bytes`. Letters, digits and `- _ .` stay as they are, and any other byte becomes `%XX` in
    /// upper case.
    static func append(_ bytes: some Sequence<UInt8>, to text: inout [UInt8]) {
        for byte in bytes {
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a,
                UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                text.append(byte)
            default:
                text.append(UInt8(ascii: "%"))
                text.append(Hex.upperCase(byte &>> 4))
                text.append(Hex.upperCase(byte & 15))
            }
        }
    }
}
