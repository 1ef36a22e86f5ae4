/// Decides the response of the GDT API to a request: a pure function of the request's bytes and the time.
///
/// The judge reads a report by undoing the steps of a reporter, and shares no code with one. The order of the
/// checks is guaranteed: the first check that fails decides the code.
package struct GDTJudge: Sendable {
    /// The range around the present in which `conv_time` must lie.
    package struct Window: Hashable, Sendable {
        /// The greatest age in seconds.
        package var oldestSeconds: Int64
        /// The greatest distance into the future in seconds.
        package var aheadSeconds: Int64

        /// Creates a window; by default seven days back and five minutes ahead.
        package init(oldestSeconds: Int64 = 7 * 86_400, aheadSeconds: Int64 = 300) {
            self.oldestSeconds = oldestSeconds
            self.aheadSeconds = aheadSeconds
        }
    }

    /// An app of an advertiser: GDT issues keys per such pair.
    private struct Account: Hashable {
        let appID: String
        let advertiserID: String
    }

    /// The keys and conversion rules of an account.
    private struct Entry {
        let signKey: [UInt8]
        let encryptKey: [UInt8]
        let conversionTypes: Set<String>
    }

    private let window: Window
    private var entries: [Account: Entry] = [:]

    /// Creates a judge that knows these accounts.
    package init(keys: [GDTKeys], window: Window = Window()) {
        self.window = window
        for key in keys {
            self.add(key)
        }
    }

    /// Adds an account, or replaces its keys.
    package mutating func add(_ keys: GDTKeys) {
        let account = Account(appID: keys.appID, advertiserID: keys.advertiserID)
        self.entries[account] = Entry(
            signKey: Array(keys.signKey.utf8),
            encryptKey: Array(keys.encryptKey.utf8),
            conversionTypes: keys.conversionTypes ?? GDTKeys.documentedConversionTypes
        )
    }

    /// Judges a request. `target` is the request target as it stands in the request line; `now` is in Unix
    /// seconds.
    package func judge(target: [UInt8], now: Int64) -> GDTJudgement {
        guard let target = GDTTarget(target) else { return GDTJudgement(ret: .illegalRequest) }
        guard ["IOS", "ANDROID", "UNIONANDROID"].contains(target.appType) else {
            return GDTJudgement(ret: .illegalAppType)
        }
        let account = Account(appID: target.appID, advertiserID: target.advertiserID)
        guard let entry = self.entries[account], !entry.encryptKey.isEmpty else {
            return GDTJudgement(ret: .noKeys)
        }
        guard let cipher = StrictBase64.decode(target.v) else { return GDTJudgement(ret: .undecodable) }
        guard let signed = SignedQuery(deciphering: cipher, with: entry.encryptKey),
            signed.isSigned(for: target.appID, with: entry.signKey)
        else {
            return GDTJudgement(ret: .unparsable)
        }
        let fields = FormFields(decoding: signed.query)
        let conversion = GDTConversion(
            appID: target.appID,
            muid: fields.text("muid"),
            conversionType: target.conversionType
        )
        return GDTJudgement(
            ret: self.ret(for: conversion, at: fields["conv_time"], rules: entry.conversionTypes, now: now),
            report: GDTReport(conversion: conversion, clickID: fields.text("click_id"))
        )
    }

    /// Checks the fields of a report with a valid signature: the muid, the time and the conversion rule, in
    /// this order.
    private func ret(
        for conversion: GDTConversion,
        at time: [UInt8]?,
        rules: Set<String>,
        now: Int64
    ) -> GDTRet {
        let muid = conversion.muid.utf8
        guard muid.count == 32, muid.allSatisfy({ Hex.value(of: $0).map(Hex.lowerCase) == $0 }) else {
            return .illegalMuid
        }
        guard let seconds = Self.seconds(time),
            now - seconds <= self.window.oldestSeconds, seconds - now <= self.window.aheadSeconds
        else {
            return .illegalTime
        }
        return rules.contains(conversion.conversionType) ? .accepted : .noRule
    }

    /// Reads a decimal number of at most ten digits. A time in milliseconds has more digits, and is refused
    /// whatever the window allows.
    private static func seconds(_ digits: [UInt8]?) -> Int64? {
        guard let digits, digits.count <= 10 else { return nil }
        var value: Int64 = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            value = value * 10 + Int64(digit - 0x30)
        }
        return value
    }
}

extension GDTJudgement {
    fileprivate init(ret: GDTRet) {
        self.init(ret: ret, report: nil)
    }
}
