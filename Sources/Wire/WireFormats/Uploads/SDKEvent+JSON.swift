// The JSON of decoded events, for people who try an upload with `plan`.
extension SDKEvent {
    /// The event as one JSON object, as the SDK's JSON has it.
    package var json: [UInt8] {
        var json = JSONWriter(reserving: 512)
        json.object { json in self.write(to: &json) }
        return json.text
    }

    /// Writes the event as the SDK's JSON has it, whichever form the upload had.
    func write(to json: inout JSONWriter) {
        for (field, value) in self.lastValues {
            switch (field, value.kind) {
            case (.eventType, _): json.optionalString(field.name, self.type.name)
            case (.other, _): self.writeOthers(to: &json)
            case (.resourceItem, _): self.writeResource(to: &json)
            case (_, .text): json.optionalString(field.name, self.string(value))
            case (_, .integer): json.number(field.name, value.integer)
            case (_, .double): json.optionalNumber(field.name, value.double)
            case (_, .entryName), (_, .entryValue): json.strings(field.name, self.entries(field))
            case (_, .resourceID), (_, .resourceKey): break
            }
        }
    }

    /// The member for values that stand under the name of a field and do not fit it. Only events of types that nobody knows
    /// yet have such values.
    private static let misfits = "misfits"

    /// Writes what no field holds. The misfits stand apart, so that a reader finds under the name of a field only what the
    /// schema says.
    private func writeOthers(to json: inout JSONWriter) {
        var misfits: [(name: String, value: String)] = []
        for (name, value) in self.entries(.other) {
            if name.isExactly(Self.misfits) || SDKFieldNames.all.field(Array(name.utf8).span) != nil {
                misfits.append((name, value))
            } else {
                json.write(foreign: value, as: name)
            }
        }
        guard !misfits.isEmpty else { return }
        json.object(Self.misfits) { json in
            for (name, value) in misfits { json.write(foreign: value, as: name) }
        }
    }

    private func writeResource(to json: inout JSONWriter) {
        let (id, key) = self.resource
        json.object(SDKEventField.resourceItem.name) { json in
            json.optionalString("id", id)
            json.optionalString("key", key)
            let attributes = self.entries(.resourceItem)
            if !attributes.isEmpty { json.strings("attributes", attributes) }
        }
    }
}

extension JSONWriter {
    /// Writes a member that no SDK has, as the phone has written it; as a text if a reader of the topic could fail at it.
    fileprivate mutating func write(foreign value: String, as name: String) {
        if SDKForeignValue.isReadable(value) {
            self.raw(escaping: name, value)
        } else {
            self.string(escaping: name, value)
        }
    }
}

extension SDKActivation {
    /// Writes the activation, with null for what the event does not say.
    func write(to json: inout JSONWriter) {
        json.string("kind", self.kind.rawValue)
        json.string("account", self.account)
        json.string("dataSourceId", self.dataSourceID)
        json.string("deviceId", self.deviceID)
        json.number("timestampMs", self.timestampMS)
        json.number("convTime", self.convertedAt)
        let texts = [
            ("platform", self.platform), ("idfa", self.idfa), ("idfv", self.idfv), ("imei", self.imei),
            ("oaid", self.oaid), ("androidId", self.androidID), ("userAgent", self.userAgent),
            ("deepLinkId", self.deepLinkID), ("deepClickId", self.deepClickID), ("caid", self.caid),
            ("sdkVersion", self.sdkVersion),
        ]
        for (name, text) in texts {
            if let text { json.optionalString(name, text) } else { json.null(name) }
        }
    }
}

extension SDKUpload {
    /// The upload as one JSON object: its account, its events in the SDK's own JSON, and the activations among
    /// them.
    package var json: [UInt8] {
        var json = JSONWriter(reserving: 1_024)
        json.object { json in
            json.string("account", self.account)
            json.number("dropped", Int64(self.dropped))
            json.objects("events", Array(self.events), keepsEmpty: true) { json, event in
                event.write(to: &json)
            }
            json.objects("activations", self.activations, keepsEmpty: true) { json, activation in
                activation.write(to: &json)
            }
        }
        return json.text
    }

    /// The activations and wake-ups among the events.
    package var activations: [SDKActivation] {
        self.events.compactMap { SDKActivation($0, account: self.account) }
    }
}
