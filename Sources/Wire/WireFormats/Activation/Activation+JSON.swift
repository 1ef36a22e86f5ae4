extension Activation {
    /// The activation as a record's value in JSON, which `init(decoding:)` reads. A time that was assumed is
    /// left out, so that the timestamp of the record counts again.
    package var json: [UInt8] {
        var json = JSONWriter(reserving: 256)
        json.object { json in
            json.int64("appId", self.account.appID)
            json.int64("advertiserId", self.account.advertiserID)
            json.string("appType", self.appType.rawValue)
            json.string("conversionType", self.conversionType.rawValue)
            if self.hasMUID { json.string("muid", String(decoding: self.muid.text, as: UTF8.self)) }
            if !self.isTimeAssumed { json.timestamp("convertedAt", self.convertedAt * 1_000) }
            if let clientIP = self.clientIP { json.string("clientIp", clientIP) }
            if let clickID = self.clickID { json.string("clickId", clickID) }
            if let value = self.value { json.int64("value", value) }
            if let id = self.ids.hashOAID {
                json.string("hashOaid", String(decoding: id.text, as: UTF8.self))
            }
            if let id = self.ids.hashAndroidID {
                json.string("hashAndroidId", String(decoding: id.text, as: UTF8.self))
            }
            if let caid = self.ids.caid {
                json.string("caid", caid.id)
                json.string("caidVersion", caid.version)
            }
            if let userAgent = self.userAgent { json.string("userAgent", userAgent) }
            if let callback = self.callback { json.string("callback", callback) }
        }
        return json.text
    }
}
