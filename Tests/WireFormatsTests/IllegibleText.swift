@testable import WireFormats

/// A text that is not UTF-8, as a serialiser writes it that does not check, in one more field of a good record.
extension [UInt8] {
    /// Returns this object in JSON with one more member.
    func adding(illegible name: String) -> [UInt8] {
        var json = Array(self.dropLast())
        json += ",\"\(name)\":\"a".utf8
        json += [0xFF]
        json += "\"}".utf8
        return json
    }

    /// Returns this message in protobuf with one more field.
    func adding(illegible number: Int) -> [UInt8] {
        var field = ProtobufWriter(reserving: 8)
        field.text(number) { $0 += [0x61, 0xFF] }
        return self + field.bytes
    }
}
