/// Decides what the API says to a request: bytes and a time in, a verdict out.
///
/// It reads a report from the receiving end, by undoing what a reporter did, and shares no code with one. The
/// order of the checks is part of its promise: the first that fails names the answer.
package struct GDTJudge: Sendable {
    /// How far `conv_time` may lie from now.
    package struct Window: Hashable, Sendable {
        package var oldestSeconds: Int64
        package var aheadSeconds: Int64

        package init(oldestSeconds: Int64 = 7 * 86_400, aheadSeconds: Int64 = 300) {
            self.oldestSeconds = oldestSeconds
            self.aheadSeconds = aheadSeconds
        }
    }

    private struct Account: Hashable {
        let appID: String
        let advertiserID: String
    }

    private struct Entry {
        let signKey: [UInt8]
        let encryptKey: [UInt8]
        let conversionTypes: Set<String>
    }

    private let window: Window
    private var entries: [Account: Entry] = [:]

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

    /// `target` is the request target as it stood in the request line; `now` is in Unix seconds.
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

    /// Decimal digits, and no more than seconds have: milliseconds are refused whatever the window.
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
