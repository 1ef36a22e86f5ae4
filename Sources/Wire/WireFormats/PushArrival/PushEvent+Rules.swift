import Records

extension PushEvent {
    private static let nameBytesLimit = 256
    private static let eventIDBytesLimit = 64
    private static let reasonBytesLimit = 64
    private static let segmentBytesLimit = 64

    /// Checks the fields of a record, completes them from the payload, and makes an event of them.
    ///
    /// - Parameters:
    ///   - timestamp: the record's timestamp, in milliseconds since 1970.
    ///   - now: wall-clock milliseconds since 1970.
    /// - Throws: `Fault.refused` with everything that could be read.
    init(
        _ fields: consuming PushEventFields,
        receivedAt timestamp: Int64?,
        now: Int64,
        paths: PushPayloadPaths
    ) throws(Fault) {
        var check = Check(fields)
        let payload = check.payload(fields, paths)
        check.complete(by: payload)
        let serverMS = Self.serverTime(fields.serverMS, timestamp, now: now)
        check.header.serverMS = serverMS
        guard check.reason == nil, let kind = check.header.kind else {
            throw .refused(check.reason ?? Check.unknownType, check.header)
        }
        let sentMS = [fields.sentMS, payload?.sentMS].lazy.compactMap(\.self)
            .first { PushTime.isPlausible($0, asOf: serverMS) }
        self.init(
            kind,
            provider: check.header.provider,
            appBundle: check.header.appBundle,
            messageID: check.header.messageID,
            campaignID: check.header.campaignID,
            deviceID: check.header.deviceID,
            eventID: check.header.eventID,
            environment: check.header.environment,
            acceptance: check.acceptance,
            sentMS: sentMS,
            deviceMS: fields.deviceMS,
            uploadMS: fields.uploadMS,
            serverMS: serverMS,
            isEligible: fields.isEligible ?? payload?.isEligible
                ?? (kind == .sent && check.segments.isBelowExtensions ? false : nil),
            payloadSHA256: payload?.sha256 ?? check.payloadSHA256,
            segments: check.segments,
            value: check.value
        )
    }

    /// Returns the first plausible one of the stated time and the record's timestamp, else `now`.
    private static func serverTime(_ own: Int64?, _ timestamp: Int64?, now: Int64) -> Int64 {
        if let own, PushTime.isPlausible(own, asOf: now) { return own }
        if let timestamp, PushTime.isPlausible(timestamp, asOf: now) { return timestamp }
        return now
    }
}

extension PushEvent {
    /// Decides who can correct a record that cannot be read. The publisher can if the value is not of the
    /// topic's kind; the record then becomes a dead letter. A device can choose the texts inside a
    /// well-formed value, their nesting and their size; the record then ends in a final refusal.
    static func fault(_ fault: RecordFault, in record: borrowing InboundRecord, now: Int64) -> Fault {
        guard case .undecodable(let reason) = fault else {
            return self.refusal(fault.reason, record, now: now)
        }
        // The publisher writes the wrapping of a message; the content of the message may be the device's.
        let payload = try? RecordPayload(of: record)
        let value = payload.map { Array($0.bytes[$0.start...]) } ?? record.value ?? []
        let isDevices = reason.code == "value.too_deep" || value.nestsTooDeep || value.isObjectButForItsText
        return isDevices ? self.refusal(reason, record, now: now) : .record(fault)
    }

    private static func refusal(_ reason: Reason, _ record: borrowing InboundRecord, now: Int64) -> Fault {
        var header = PushEventHeader()
        header.serverMS = self.serverTime(nil, record.timestamp, now: now)
        return .refused(reason, header)
    }
}

extension [UInt8] {
    /// Whether the bytes begin as a JSON object and have more brackets open at once than any of our readers
    /// follows. Strings are skipped, and nothing else is checked.
    fileprivate var nestsTooDeep: Bool {
        guard self.first(where: { !$0.isJSONWhiteSpace }) == UInt8(ascii: "{") else { return false }
        var depth = 0
        var isInString = false
        var isEscaped = false
        for byte in self {
            if isEscaped {
                isEscaped = false
            } else if isInString {
                isEscaped = byte == UInt8(ascii: "\\")
                isInString = byte != UInt8(ascii: "\"")
            } else {
                switch byte {
                case UInt8(ascii: "\""): isInString = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
                default: break
                }
            }
            if depth > JSONOutline.depthLimit { return true }
        }
        return false
    }

    /// Whether the bytes are a JSON object once the bytes that are not UTF-8 are replaced.
    fileprivate var isObjectButForItsText: Bool {
        guard self.first(where: { !$0.isJSONWhiteSpace }) == UInt8(ascii: "{"),
            (try? UTF8Span(validating: self.span)) == nil,
            let outline = JSONOutline(Array(String(decoding: self, as: UTF8.self).utf8))
        else { return false }
        return outline.kind(outline.root) == .object
    }
}

extension PushEvent {
    /// The check of an event's fields. It goes through all of them, keeps what is acceptable, and remembers
    /// the first objection.
    private struct Check {
        private(set) var reason: Reason?
        var header = PushEventHeader()
        private(set) var acceptance = Acceptance.accepted
        private(set) var payloadSHA256 = ""
        private(set) var segments = PushSegments()
        private(set) var value: ConversionValue?

        static let unknownType = Reason(
            "type.unknown",
            "The field `type` is none of \(Kind.allCases.map(\.rawValue).joined(separator: ", "))."
        )

        init(_ fields: borrowing PushEventFields) {
            self.header.kind = Kind(exactly: fields.type)
            if self.header.kind == nil { self.reason = Self.unknownType }
            self.header.provider = self.text(fields.provider, "provider")
            self.header.messageID = self.text(fields.messageID, "message_id")
            self.header.campaignID = self.text(fields.campaignID, "campaign_id")
            self.header.appBundle = self.text(fields.appBundle, "app_bundle")
            self.header.deviceID = self.text(fields.deviceID, "device_id")
            self.header.eventID = self.text(fields.eventID, "event_id", limit: PushEvent.eventIDBytesLimit)
            self.header.environment = self.environment(fields.environment)
            if self.header.kind == .sent { self.acceptance = self.acceptance(fields) }
            self.payloadSHA256 = self.digest(fields.payloadSHA256)
            self.segments = self.segments(fields)
            if self.header.kind == .converted { self.value = self.value(fields) }
        }

        /// Remembers the first objection; later ones are dropped.
        private mutating func object(_ code: String, _ message: String) {
            if self.reason == nil { self.reason = Reason(code, message) }
        }

        /// Returns an id or a name; empty, with an objection, if it is too long or has a control character.
        private mutating func text(
            _ text: String,
            _ field: String,
            limit: Int = PushEvent.nameBytesLimit
        ) -> String {
            guard text.utf8.count <= limit else {
                self.object("\(field).too_long", "A name or an id has more than \(limit) bytes.")
                return ""
            }
            guard !text.hasControlCharacters else {
                self.object("\(field).malformed", "A name or an id has a control character in it.")
                return ""
            }
            return text
        }

        private mutating func environment(_ text: String) -> String {
            if text.isEmpty || text.isExactly("production") { return "production" }
            if text.isExactly("development") { return text }
            self.object("environment.unknown", "The environment is not production or development.")
            return ""
        }

        private mutating func acceptance(_ fields: borrowing PushEventFields) -> Acceptance {
            let status = fields.status
            if status.isEmpty || status.isExactly("accepted") { return .accepted }
            guard status.isExactly("rejected") else {
                self.object("status.unknown", "The status is not accepted or rejected.")
                return .accepted
            }
            let reason = fields.reason.prefix(bytes: PushEvent.reasonBytesLimit)
            guard !reason.hasControlCharacters else {
                self.object("reason.malformed", "The reason has a control character in it.")
                return .accepted
            }
            return .rejected(reason: reason.isEmpty ? "unspecified" : reason)
        }

        /// Returns the segments. A sender learns of one that cannot be; any other event is counted without it, because a
        /// device must not lose an arrival for the sake of a label.
        private mutating func segments(_ fields: borrowing PushEventFields) -> PushSegments {
            var check = self
            let limit = PushEvent.segmentBytesLimit
            var segments = PushSegments()
            segments.appVersion = check.text(fields.appVersion, "app_version", limit: limit)
            segments.osVersion = check.text(fields.osVersion, "os_version", limit: limit)
            segments.deviceModel = check.text(fields.deviceModel, "device_model", limit: limit)
            segments.country = check.letters(2, of: fields.country, "country")
            if self.header.kind == .sent { self = check }
            return segments
        }

        private mutating func value(_ fields: borrowing PushEventFields) -> ConversionValue? {
            let currency = self.letters(3, of: fields.currency, "currency")
            guard let micros = fields.valueMicros else {
                if !currency.isEmpty {
                    self.object("value_micros.missing", "A currency stands without a value.")
                }
                return nil
            }
            guard ConversionValue.range.contains(micros) else {
                self.object("value_micros.out_of_range", "The value is not from 0 to 10^15 millionths.")
                return nil
            }
            guard !currency.isEmpty else {
                self.object("currency.missing", "A value stands without its currency.")
                return nil
            }
            return ConversionValue(micros: micros, currency: currency)
        }

        /// Returns a code of so many letters as capitals; empty, with an objection, if it is none.
        private mutating func letters(_ count: Int, of text: String, _ field: String) -> String {
            guard !text.isEmpty else { return "" }
            guard text.utf8.count == count, text.utf8.allSatisfy({ $0.lowercased.isLowercase }) else {
                self.object("\(field).malformed", "A code is not \(count) letters.")
                return ""
            }
            return text.uppercased()
        }

        private mutating func digest(_ text: String) -> String {
            guard !text.isEmpty else { return "" }
            guard text.utf8.count == 64, text.utf8.allSatisfy(\.isHexadecimal) else {
                self.object("payload_sha256.malformed", "The payload's digest is not 64 hexadecimal digits.")
                return ""
            }
            return text.utf8.allSatisfy(\.isLowercaseHexadecimal) ? text : text.lowercased()
        }

        /// Returns the payload. Nil if there is none, if it cannot be read, or if the event is refused
        /// already.
        mutating func payload(
            _ fields: borrowing PushEventFields,
            _ paths: PushPayloadPaths
        ) -> PushPayload? {
            guard self.reason == nil, !fields.payload.isEmpty else { return nil }
            guard fields.payload.count <= PushPayload.bytesLimit else {
                self.object(
                    "payload.too_large",
                    "The payload has more than \(PushPayload.bytesLimit) bytes."
                )
                return nil
            }
            let payload = PushPayload(fields.payload, paths: paths, declared: self.header.provider)
            if payload == nil { self.object("payload.malformed", "The payload is not one JSON object.") }
            return payload
        }

        /// Fills fields that the event leaves empty from its payload.
        mutating func complete(by payload: PushPayload?) {
            if let payload {
                if self.header.messageID.isEmpty {
                    self.header.messageID = self.text(payload.messageID, "message_id")
                }
                if self.header.campaignID.isEmpty {
                    self.header.campaignID = self.text(payload.campaignID, "campaign_id")
                }
                if self.header.deviceID.isEmpty {
                    self.header.deviceID = self.text(payload.installationID, "device_id")
                }
                // A push with an id of its sender's own is one message, even if an event names the channel as
                // its provider.
                let isOwn = payload.hasOwnID && payload.messageID.isExactly(self.header.messageID)
                if isOwn || self.header.provider.isEmpty { self.header.provider = payload.provider }
            }
            if self.header.provider.isEmpty { self.header.provider = PushPayload.ownProvider }
            if self.header.deviceID.isEmpty {
                self.object(
                    PushEvent.missingDevice,
                    "Neither the field `deviceId` nor the payload names a device."
                )
            }
        }
    }
}

extension String {
    /// Whether the text has a control character (C0, DEL or C1), which no id should have.
    fileprivate var hasControlCharacters: Bool {
        let utf8 = self.utf8
        let bytes = utf8.span
        var previous: UInt8 = 0
        for index in bytes.indices {
            let byte = bytes[index]
            // U+0080 to U+009F take two bytes in UTF-8, of which the first is 0xC2.
            if byte < 0x20 || byte == 0x7F || previous == 0xC2 && byte < 0xA0 { return true }
            previous = byte
        }
        return false
    }

    /// Returns the longest prefix of whole Unicode scalars with at most `limit` bytes in UTF-8.
    fileprivate func prefix(bytes limit: Int) -> String {
        guard self.utf8.count > limit else { return self }
        // A string is never cut within a scalar: an index inside of a scalar stands for its start.
        return String(self[..<self.utf8.index(self.startIndex, offsetBy: limit)])
    }
}
