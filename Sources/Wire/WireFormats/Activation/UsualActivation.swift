/// An activation in its usual spelling in JSON, taken directly from the text.
///
/// Publishers write nearly all records in the spelling that proto3's mapping prescribes, and this reader takes a
/// quarter of the time of the general decoder. Anything else, correct or not, is left to that decoder: another
/// spelling of a name or a value, null, an escape, a name that occurs twice, a list or an object.
struct UsualActivation {
    let fields: ActivationFields

    /// Reads the record whose text begins at `start`. Nil if its spelling is not the usual one.
    init?(_ text: [UInt8], from start: Int) {
        guard text.span.extracting(start...).isUTF8() else { return nil }
        var reader = JSONReader(
            text,
            from: start,
            limits: JSONLimits(depth: 1),
            listener: Members(text: text)
        )
        guard (try? reader.document()) != nil, reader.listener.isUsual else { return nil }
        self.fields = reader.listener.fields
    }

    /// The fields, each with its name in JSON.
    private enum Field: UInt16 {
        case appID, advertiserID, appType, conversionType, deviceID, muid, convertedAt, clientIP, clickID,
            value
        case trackingAuthorized, callback, hashOAID, hashAndroidID, caid, caidVersion, userAgent
    }

    private struct Members: JSONListener {
        let text: [UInt8]
        private(set) var fields = ActivationFields()
        private(set) var isUsual = true
        /// The field whose value comes next; nil for one that the schema does not have.
        private var field: Field?
        /// The fields that were read, each by its bit.
        private var seen: UInt32 = 0

        init(text: [UInt8]) { self.text = text }

        mutating func opened(_ kind: JSONKind, at start: Int) {
            if kind != .object { self.isUsual = false }
        }

        func closed(_ mark: Void, _ kind: JSONKind, range: Range<Int>, level: Int) {}

        mutating func name(_ range: Range<Int>, hasEscapes: Bool, level: Int) {
            self.field = self.field(range)
            if let field = self.field {
                let bit: UInt32 = 1 << field.rawValue
                if hasEscapes || self.seen & bit != 0 { self.isUsual = false }
                self.seen |= bit
            } else if hasEscapes || !self.text[range].allSatisfy(\.isAlphanumeric) {
                // The name may be another spelling of one that the schema has.
                self.isUsual = false
            }
        }

        mutating func leaf(_ kind: JSONKind, _ range: Range<Int>, hasEscapes: Bool, level: Int) {
            // A value on level 1 is the whole document.
            if level != 2 || hasEscapes || !self.take(self.text[range], kind) { self.isUsual = false }
        }

        /// Puts a value into its field. Returns false if it is of another type, or not in its usual spelling.
        private mutating func take(_ value: ArraySlice<UInt8>, _ kind: JSONKind) -> Bool {
            switch (self.field, kind) {
            case (.appID, .string), (.appID, .number):
                guard let number = Self.number(value, as: UInt64.self) else { return false }
                self.fields.appID = number
            case (.advertiserID, .string), (.advertiserID, .number):
                guard let number = Self.number(value, as: UInt64.self) else { return false }
                self.fields.advertiserID = number
            case (.value, .string), (.value, .number):
                guard let number = Self.number(value, as: Int64.self) else { return false }
                self.fields.value = number
            case (.convertedAt, .string):
                guard let time = RFC3339.milliseconds(inUTC: value) else { return false }
                self.fields.convertedAt = (time - (time % 1_000 + 1_000) % 1_000) / 1_000
            case (.trackingAuthorized, .true): self.fields.isTrackingAuthorized = true
            case (.trackingAuthorized, .false): self.fields.isTrackingAuthorized = false
            case (.appType, .string): self.fields.appType = String(decoding: value, as: UTF8.self)
            case (.conversionType, .string):
                self.fields.conversionType = String(decoding: value, as: UTF8.self)
            case (.deviceID, .string): self.fields.deviceID = String(decoding: value, as: UTF8.self)
            case (.muid, .string): self.fields.muid = String(decoding: value, as: UTF8.self)
            case (.clientIP, .string): self.fields.clientIP = String(decoding: value, as: UTF8.self)
            case (.clickID, .string): self.fields.clickID = String(decoding: value, as: UTF8.self)
            case (.callback, .string): self.fields.callback = String(decoding: value, as: UTF8.self)
            case (.hashOAID, .string): self.fields.hashOAID = String(decoding: value, as: UTF8.self)
            case (.hashAndroidID, .string):
                self.fields.hashAndroidID = String(decoding: value, as: UTF8.self)
            case (.caid, .string): self.fields.caid = String(decoding: value, as: UTF8.self)
            case (.caidVersion, .string): self.fields.caidVersion = String(decoding: value, as: UTF8.self)
            case (.userAgent, .string): self.fields.userAgent = String(decoding: value, as: UTF8.self)
            // Not every number of JSON is one for the general decoder.
            case (nil, .number): return Self.number(value, as: UInt64.self) != nil
            case (nil, .string), (nil, .true), (nil, .false), (nil, .null): break
            default: return false
            }
            return true
        }

        private static func number<Number: FixedWidthInteger>(
            _ digits: ArraySlice<UInt8>,
            as type: Number.Type
        ) -> Number? {
            digits.count == 1 || digits.first != UInt8(ascii: "0") ? digits.decimal(as: type) : nil
        }

        private func field(_ name: Range<Int>) -> Field? {
            switch name.count {
            case 4: self.spells("muid", name) ? .muid : self.spells("caid", name) ? .caid : nil
            case 5: self.spells("appId", name) ? .appID : self.spells("value", name) ? .value : nil
            case 7: self.spells("appType", name) ? .appType : self.spells("clickId", name) ? .clickID : nil
            case 8:
                self.spells("deviceId", name)
                    ? .deviceID
                    : self.spells("clientIp", name)
                        ? .clientIP
                        : self.spells("callback", name)
                            ? .callback : self.spells("hashOaid", name) ? .hashOAID : nil
            case 9: self.spells("userAgent", name) ? .userAgent : nil
            case 11:
                self.spells("convertedAt", name)
                    ? .convertedAt : self.spells("caidVersion", name) ? .caidVersion : nil
            case 12: self.spells("advertiserId", name) ? .advertiserID : nil
            case 13: self.spells("hashAndroidId", name) ? .hashAndroidID : nil
            case 14: self.spells("conversionType", name) ? .conversionType : nil
            case 18: self.spells("trackingAuthorized", name) ? .trackingAuthorized : nil
            default: nil
            }
        }

        private func spells(_ word: String, _ name: Range<Int>) -> Bool {
            let utf8 = word.utf8
            let wanted = utf8.span
            for offset in wanted.indices where wanted[offset] != self.text[name.lowerBound + offset] {
                return false
            }
            return true
        }
    }
}
