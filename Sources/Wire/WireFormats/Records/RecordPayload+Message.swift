package import SwiftProtobuf

extension RecordPayload {
    /// The deepest nesting of messages that is decoded; ours nest only a few levels deep.
    private static let depthLimit = 16

    private static let jsonOptions: JSONDecodingOptions = {
        var options = JSONDecodingOptions()
        options.messageDepthLimit = Self.depthLimit
        options.ignoreUnknownFields = true
        return options
    }()

    private static let binaryOptions: BinaryDecodingOptions = {
        var options = BinaryDecodingOptions()
        options.messageDepthLimit = Self.depthLimit
        options.discardUnknownFields = true
        return options
    }()

    /// Decodes the payload in one pass over its bytes.
    ///
    /// - Throws: `RecordFault.undecodable` if the bytes are not a message, `.invalid` if a field in JSON has
    ///   a wrong type.
    package func decode<Decoded: Message>(as type: Decoded.Type) throws(RecordFault) -> Decoded {
        switch self.format {
        case .json: try self.decodeJSON()
        case .protobuf: try self.decodeProtobuf()
        }
    }

    private func decodeJSON<Decoded: Message>() throws(RecordFault) -> Decoded {
        let text = self.message
        do {
            return try Decoded(jsonUTF8Bytes: text, options: Self.jsonOptions)
        } catch JSONDecodingError.messageDepthLimit {
            throw Self.tooDeep
        } catch {
            guard String(validating: text, as: UTF8.self) != nil else {
                throw RecordFault.undecodable("value.not_json", "The value's text is not UTF-8.")
            }
            // The publisher needs to know whether the JSON or the type of a field is wrong, and the decoder
            // does not always tell.
            guard JSONObject(text, depthLimit: Self.depthLimit) != nil else {
                throw RecordFault.undecodable("value.not_json", "The value is not one JSON object.")
            }
            throw RecordFault.invalid("field.wrong_type", self.wrongType(as: Decoded.self))
        }
    }

    /// The most members that are tried one by one, so that a record with many costs no time.
    private static let triedMembersLimit = 64

    /// Returns the message for a value that is JSON and cannot be decoded: the first member that cannot be
    /// decoded by itself, the type of its value, and the type that it has to have.
    private func wrongType<Decoded: Message>(as type: Decoded.Type) -> String {
        let general = "A field's value is not of the type its schema says."
        guard let outline = JSONOutline(self.bytes, from: self.start) else { return general }
        var tried = 0
        var wrong: (name: Int, value: Int)?
        outline.members(of: outline.root) { name, value in
            tried += 1
            guard wrong == nil, tried <= Self.triedMembersLimit else { return }
            let member = self.bytes[outline.wholeRange(name)] + [UInt8(ascii: ":")]
            let text = Array("{".utf8) + member + self.bytes[outline.wholeRange(value)] + Array("}".utf8)
            if (try? Decoded(jsonUTF8Bytes: text, options: Self.jsonOptions)) == nil { wrong = (name, value) }
        }
        guard let wrong, UnknownFields.isTold(outline.bytes(wrong.name)) else { return general }
        let name = String(decoding: outline.bytes(wrong.name), as: UTF8.self)
        let noun = outline.kind(wrong.value).noun
        return ExpectedType.complaint(about: name, is: noun, in: Decoded.self)
    }

    private func decodeProtobuf<Decoded: Message>() throws(RecordFault) -> Decoded {
        do {
            return try Decoded(serializedBytes: self.message, options: Self.binaryOptions)
        } catch BinaryDecodingError.messageDepthLimit {
            throw Self.tooDeep
        } catch {
            throw RecordFault.undecodable("value.not_protobuf", self.notProtobuf)
        }
    }

    /// The message about a value that is no protobuf message. A publisher who has sent a text has to hear that it was
    /// read as one.
    private var notProtobuf: String {
        let text = self.bytes[self.start...].trimmingWhiteSpace()
        guard let first = text.first, text.allSatisfy({ $0 >= 0x20 || $0.isWhiteSpace }),
            (try? UTF8Span(validating: Array(text).span)) != nil
        else { return "The value is not a protobuf message." }
        guard first == UInt8(ascii: "[") else {
            return "The value is a text, and neither one JSON object nor a protobuf message."
        }
        return "The value is a list. A record is one JSON object or one protobuf message."
    }

    /// The message as a JSON object, however deep it nests; nil if it is not in JSON, or no object.
    package var object: JSONObject? {
        self.format == .json ? JSONObject(self.message, skipsDeeper: true) : nil
    }

    /// Returns the message as a JSON object; nil if it is none and cannot be made one.
    func object<Decoded: Message>(as type: Decoded.Type) -> JSONObject? {
        switch self.format {
        case .json: self.object
        case .protobuf: (try? self.decode(as: type).jsonUTF8Bytes()).flatMap { JSONObject($0) }
        }
    }

    /// The bytes of the message; a copy only if a frame stands before it.
    var message: [UInt8] {
        self.start == 0 ? self.bytes : Array(self.bytes[self.start...])
    }

    private static var tooDeep: RecordFault {
        .undecodable("value.too_deep", "The value nests deeper than \(Self.depthLimit) messages.")
    }
}
