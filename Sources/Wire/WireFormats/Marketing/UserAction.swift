/// One action for `user_actions/add` of the Tencent Ads Marketing API (v3.0): a conversion as Tencent's
/// successor of GDT's reports takes it.
///
/// An action is a JSON object, and a request carries 1 to 50 of them. Source: Tencent's documents of
/// `user_actions/add` and DataNexus.
package enum UserAction {
    /// The purpose of an action's JSON.
    package enum Form: Hashable, Sendable {
        /// A report with everything that Tencent may match by.
        case report
        /// A report to a click's own callback. The click is known, so nothing but the device, the type, the
        /// time and the amount is told.
        case callback
    }

    /// The most actions in one request.
    package static let countLimit = 50
    /// The most bytes of the actions in one request, commas included. Tencent says 50 KB and not which: the
    /// smaller reading leaves room for the rest of the body.
    package static let bytesLimit = 50_000

    private static let nameSpace: [UInt8] = [
        0x3c, 0x5e, 0x1b, 0x6a, 0x7d, 0x1f, 0x4f, 0x52, 0x8a, 0x37, 0x1d, 0xc9, 0x24, 0x6b, 0xe0, 0x95,
    ]

    /// Returns the `outer_action_id` of a conversion: a UUID of version 5.
    ///
    /// The id is the same at every attempt and in every retry copy of a record. It covers the content too:
    /// if a topic is made anew, an offset stands for another record, and Tencent would drop that record's
    /// conversion as a duplicate.
    ///
    /// - Parameter recordID: the `reportName` of the record: the SDK's event, or the publisher's record.
    package static func id(of activation: Activation, in recordID: String) -> String {
        let muid = String(decoding: activation.muid.text, as: UTF8.self)
        let content = "\(activation.account)/\(muid)/\(activation.convertedAt)"
        return UUIDv5.text(
            of: "\(recordID)/\(content)/\(activation.conversionType.rawValue)",
            in: self.nameSpace
        )
    }

    /// Returns the action of a conversion as JSON.
    ///
    /// - Parameter id: the `outer_action_id`.
    package static func json(of activation: Activation, id: String, for form: Form = .report) -> [UInt8] {
        var json = JSONWriter(reserving: 320)
        json.object { json in
            json.string("outer_action_id", id)
            json.number("action_time", activation.convertedAt)
            json.string("action_type", activation.conversionType.actionType)
            json.object("user_id") { self.write(activation, to: &$0) }
            if let value = activation.value {
                json.object("action_param") { $0.number("value", value) }
            }
            guard form == .report else { return }
            if let clickID = activation.clickID {
                json.object("trace") { $0.string("click_id", clickID) }
            }
            guard activation.clientIP != nil || activation.userAgent != nil else { return }
            json.object("ext_info") { json in
                if let clientIP = activation.clientIP { json.string("ip", clientIP) }
                if let userAgent = activation.userAgent { json.string("user_agent", userAgent) }
            }
        }
        return json.text
    }

    /// Writes the ids of the device. At least one is there.
    private static func write(_ activation: Activation, to json: inout JSONWriter) {
        if activation.hasMUID { json.text(activation.appType.digestName) { $0 += activation.muid.text } }
        if let id = activation.ids.hashOAID { json.text("hash_oaid") { $0 += id.text } }
        if let id = activation.ids.hashAndroidID { json.text("hash_android_id") { $0 += id.text } }
        guard let caid = activation.ids.caid else { return }
        json.string("caid", caid.id)
        json.string("caid_version", caid.version)
    }

    /// Joins actions into the list of a body.
    static func append(_ actions: [[UInt8]], to body: inout [UInt8]) {
        body += "\"actions\":[".utf8
        for (index, action) in actions.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body += action
        }
        body += "]}".utf8
    }
}

extension ConversionType {
    /// The type's name in the Marketing API.
    fileprivate var actionType: String {
        switch self {
        case .activation: "ACTIVATE_APP"
        case .registration: "REGISTER"
        case .addToCart: "ADD_TO_CART"
        case .payment: "PURCHASE"
        case .score: "RATE"
        case .search: "SEARCH"
        }
    }
}

extension AppType {
    /// The field of the digest in the Marketing API: a muid is the MD5 of an IDFA or of an IMEI.
    fileprivate var digestName: String {
        switch self {
        case .ios: "hash_idfa"
        case .android, .unionAndroid: "hash_imei"
        }
    }
}
