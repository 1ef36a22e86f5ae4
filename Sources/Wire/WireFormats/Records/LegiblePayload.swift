import SwiftProtobuf

/// A payload that could not be decoded, without the clients' fields that are to blame.
///
/// In JSON null takes the place of their values. In protobuf they are left out; a text that is not UTF-8 is all
/// that a client can spoil there, since some serialisers do not check it.
struct LegiblePayload {
    /// The rest. It need not be decodable, because a publisher's own field may be wrong too.
    private(set) var payload: RecordPayload
    /// The fields that are to blame, in the order in which they were asked about; never empty.
    let illegible: [ClientMember]

    /// Finds those of the clients' fields that cannot be decoded. Nil if there are none, or if the payload in JSON
    /// is not one object.
    init?<Decoded: Message>(_ payload: RecordPayload, without members: [ClientMember], as type: Decoded.Type)
    {
        let text = payload.message
        let places =
            switch payload.format {
            case .json: Self.places(of: members, inJSON: text, as: type)
            case .protobuf: Self.places(of: members, inProtobuf: text, as: type)
            }
        guard !places.isEmpty else { return nil }
        self.illegible = places.map(\.member)
        self.payload = payload
        (self.payload.bytes, self.payload.start) = ([], 0)
        var position = 0
        for place in places.map(\.range).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            self.payload.bytes += text[position..<place.lowerBound]
            if payload.format == .json { self.payload.bytes += "null".utf8 }
            position = place.upperBound
        }
        self.payload.bytes += text[position...]
    }

    /// One field that is to blame: in JSON the place of its value, in protobuf that of its tag and its content.
    private struct Place {
        var member: ClientMember
        var range: Range<Int>
    }

    private static func places<Decoded: Message>(
        of members: [ClientMember],
        inJSON text: [UInt8],
        as type: Decoded.Type
    ) -> [Place] {
        // A client may nest its values as deep as it likes.
        guard let object = JSONObject(text, skipsDeeper: true) else { return [] }
        var places: [Place] = []
        for member in members {
            // A field that is repeated without end is decoded up to its first fault only.
            var isIllegible = false
            for range in object.places(of: [member.jsonName, member.name]) {
                isIllegible = isIllegible || !member.isLegible(text[range], as: type)
                if isIllegible { places.append(Place(member: member, range: range)) }
            }
        }
        return places
    }

    private static func places<Decoded: Message>(
        of members: [ClientMember],
        inProtobuf message: [UInt8],
        as type: Decoded.Type
    ) -> [Place] {
        let illegible = self.illegibleTexts(in: message)
        guard !illegible.isEmpty else { return [] }
        var places: [Place] = []
        for member in members {
            let number = member.textNumber(in: type)
            for text in illegible where text.number == number {
                places.append(Place(member: member, range: text.range))
            }
        }
        return places
    }

    /// Returns the fields of a message whose content is not UTF-8, with their tags; bytes behind the last whole
    /// field are not looked at.
    private static func illegibleTexts(in message: [UInt8]) -> [(number: UInt64, range: Range<Int>)] {
        var found: [(number: UInt64, range: Range<Int>)] = []
        var reader = ProtobufReader(0..<message.count)
        var start = 0
        while let field = try? reader.field(in: message.span) {
            if case .bytes(let content) = field.content, !message.span.extracting(content).isUTF8() {
                found.append((field.number, start..<reader.position))
            }
            start = reader.position
        }
        return found
    }
}
