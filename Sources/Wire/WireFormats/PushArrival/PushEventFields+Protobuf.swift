// A decoder for the one message that is read a million times in a row. The generated type keeps its 23 fields
// in an object of its own, which costs more than everything else together; this decoder takes the same fields
// directly from the bytes.
extension PushEventFields {
    /// Reads a message in its usual encoding. Nil for any other bytes, valid or not; the general decoder
    /// decides about them.
    init?(protobuf bytes: [UInt8], from start: Int) {
        self.init()
        var reader = ProtobufReader(start..<bytes.count)
        while !reader.isAtEnd {
            guard let tag = reader.varint(in: bytes.span), self.read(tag, &reader, in: bytes) else {
                return nil
            }
        }
    }

    /// Reads the value of one field; returns false if the field or its wire type is unexpected.
    ///
    /// - Parameter tag: the field's number, and its wire type in the lowest three bits.
    private mutating func read(_ tag: UInt64, _ reader: inout ProtobufReader, in bytes: [UInt8]) -> Bool {
        let span = bytes.span
        return switch tag {
        case 1 << 3 | 2: reader.text(in: span, into: &self.type)
        case 2 << 3 | 2: reader.text(in: span, into: &self.provider)
        case 3 << 3 | 2: reader.text(in: span, into: &self.messageID)
        case 4 << 3 | 2: reader.text(in: span, into: &self.campaignID)
        case 5 << 3 | 2: reader.text(in: span, into: &self.appBundle)
        case 6 << 3 | 2: reader.text(in: span, into: &self.deviceID)
        case 7 << 3 | 2: reader.text(in: span, into: &self.eventID)
        case 8 << 3 | 2: reader.text(in: span, into: &self.environment)
        case 9 << 3 | 2: reader.text(in: span, into: &self.status)
        case 10 << 3 | 2: reader.text(in: span, into: &self.reason)
        case 11 << 3: reader.int64(in: span, into: &self.sentMS)
        case 12 << 3: reader.int64(in: span, into: &self.deviceMS)
        case 13 << 3: reader.int64(in: span, into: &self.uploadMS)
        case 14 << 3: reader.int64(in: span, into: &self.serverMS)
        case 15 << 3: reader.bool(in: span, into: &self.isEligible)
        case 16 << 3 | 2: reader.textBytes(in: bytes, into: &self.payload)
        case 17 << 3 | 2: reader.text(in: span, into: &self.payloadSHA256)
        case 18 << 3 | 2: reader.text(in: span, into: &self.appVersion)
        case 19 << 3 | 2: reader.text(in: span, into: &self.osVersion)
        case 20 << 3 | 2: reader.text(in: span, into: &self.deviceModel)
        case 21 << 3 | 2: reader.text(in: span, into: &self.country)
        case 22 << 3: reader.int64(in: span, into: &self.valueMicros)
        case 23 << 3 | 2: reader.text(in: span, into: &self.currency)
        default: false
        }
    }
}

// A function returns false if there is no such value.
extension ProtobufReader {
    fileprivate mutating func int64(in bytes: Span<UInt8>, into field: inout Int64?) -> Bool {
        guard let number = self.varint(in: bytes) else { return false }
        field = Int64(bitPattern: number)
        return true
    }

    fileprivate mutating func bool(in bytes: Span<UInt8>, into field: inout Bool?) -> Bool {
        guard let number = self.varint(in: bytes) else { return false }
        field = number != 0
        return true
    }

    fileprivate mutating func text(in bytes: Span<UInt8>, into field: inout String) -> Bool {
        guard let range = self.content(in: bytes),
            let text = try? UTF8Span(validating: bytes.extracting(range))
        else { return false }
        field = String(copying: text)
        return true
    }

    fileprivate mutating func textBytes(in bytes: [UInt8], into field: inout [UInt8]) -> Bool {
        guard let range = self.content(in: bytes.span),
            (try? UTF8Span(validating: bytes.span.extracting(range))) != nil
        else { return false }
        field = Array(bytes[range])
        return true
    }
}
