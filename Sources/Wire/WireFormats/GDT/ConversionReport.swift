import Cryptography

/// The URLs that report the conversions of one account to GDT ("API scheme 2").
///
/// The functions have the names of the steps in GDT's own document, and stand in its order: query string,
/// property, signature, base data, v. The signature always covers GDT's own host over plain HTTP, even if the
/// request goes elsewhere. All steps work on bytes, because bytes are signed.
package struct ConversionReport: Hashable, Sendable {
    /// The account whose conversions are reported.
    package let account: GDTAccount
    /// The account's keys.
    package let keys: GDTKeys
    private let parameters: [ConversionParameter]
    /// The beginning of the property that all conversions share: the sign key, the method, and the first part
    /// of the escaped page.
    private let propertyPrefix: [UInt8]
    private let urlPrefix: [UInt8]
    private let urlSuffix: [UInt8]

    /// GDT's host. It is signed even where a simulator receives the request in a test.
    package static let host = "http://t.gdt.qq.com"

    /// The reason why this machine cannot write reports, as the end of a sentence; nil if it can.
    package static var obstacle: String? {
        Digest.md5.isAvailable
            ? nil
            : "cannot be reported on this machine: GDT asks for MD5, which its OpenSSL does not offer (FIPS mode?)"
    }

    /// Prepares the reports of one account.
    ///
    /// - Parameter baseURL: the host to send to; nil means GDT itself.
    package init(
        for account: GDTAccount,
        keys: GDTKeys,
        baseURL: BaseURL? = nil,
        order: ConversionParameterOrder = .standard
    ) {
        let path = "/conv/app/\(account.appID)/conv?"
        self.account = account
        self.keys = keys
        self.parameters = order.parameters
        self.propertyPrefix =
            keys.signKey + "&GET&".utf8 + PercentEncoding.encode(Array((Self.host + path).utf8))
        self.urlPrefix = Array(((baseURL?.text ?? Self.host) + path + "v=").utf8)
        self.urlSuffix = Array("&advertiser_id=\(account.advertiserID)".utf8)
    }

    /// Returns the URL to GET. A conversion has the same URL at every attempt.
    package func url(of conversion: Activation) -> String {
        let queryString = self.queryString(of: conversion)
        let signature = self.signature(of: self.property(of: queryString))
        let v = self.v(of: self.baseData(queryString, signature: signature))
        let conversionType = conversion.conversionType.rawValue.utf8
        let appType = conversion.appType.rawValue.utf8
        let room = self.urlPrefix.count + v.count * PercentEncoding.growthLimit + self.urlSuffix.count
        // The names of the two parameters take less than the 64 bytes that are added.
        let url = [UInt8](room: room + conversionType.count + appType.count + 64) { url in
            url.append(contentsOf: self.urlPrefix)
            PercentEncoding.append(v, to: &url)
            url.append(contentsOf: "&conv_type=".utf8)
            url.append(contentsOf: conversionType)
            url.append(contentsOf: "&app_type=".utf8)
            url.append(contentsOf: appType)
            url.append(contentsOf: self.urlSuffix)
        }
        return String(decoding: url, as: UTF8.self)
    }

    /// Returns the parameters of a conversion, percent-encoded and in the configured order.
    func queryString(of conversion: Activation) -> [UInt8] {
        let values =
            conversion.muid.text.count + (conversion.clickID?.utf8.count ?? 0)
            + (conversion.clientIP?.utf8.count ?? 0)
        // The two numbers take at most 20 bytes each, and the five names at most 11: less than the 128 bytes
        // that are added.
        return [UInt8](room: values * PercentEncoding.growthLimit + 128) { query in
            for parameter in self.parameters {
                switch parameter {
                case .muid:
                    Self.append("muid=", conversion.muid.text, to: &query)
                case .convertedAt:
                    Self.append("conv_time=", String(conversion.convertedAt).utf8, to: &query)
                case .clickID:
                    guard let clickID = conversion.clickID else { continue }
                    Self.append("click_id=", clickID.utf8, to: &query)
                case .clientIP:
                    guard let clientIP = conversion.clientIP else { continue }
                    Self.append("client_ip=", clientIP.utf8, to: &query)
                case .value:
                    guard let value = conversion.value else { continue }
                    Self.append("value=", String(value).utf8, to: &query)
                }
            }
        }
    }

    /// Returns the text to sign: the sign key, `GET`, and the escaped page, joined by `&`.
    func property(of queryString: [UInt8]) -> [UInt8] {
        let room = self.propertyPrefix.count + queryString.count * PercentEncoding.growthLimit
        return [UInt8](room: room) { property in
            property.append(contentsOf: self.propertyPrefix)
            PercentEncoding.append(queryString, to: &property)
        }
    }

    /// Returns the MD5 of the property in hexadecimal digits.
    func signature(of property: [UInt8]) -> [UInt8] {
        Digest.md5.hexadecimal(property)
    }

    /// Returns the query string followed by the signature.
    func baseData(_ queryString: [UInt8], signature: [UInt8]) -> [UInt8] {
        queryString + "&sign=".utf8 + signature
    }

    /// Returns the masked base data in base64, not yet percent-encoded.
    func v(of baseData: [UInt8]) -> [UInt8] {
        Base64.encode(self.masked(baseData))
    }

    /// Combines every byte with a byte of the encrypt key by exclusive or; the key repeats. Masking twice
    /// gives the original bytes.
    func masked(_ bytes: [UInt8]) -> [UInt8] {
        let key = self.keys.encryptKey
        return [UInt8](room: bytes.count) { masked in
            var keyIndex = 0
            for byte in bytes {
                masked.append(byte ^ key[keyIndex])
                keyIndex = keyIndex + 1 == key.count ? 0 : keyIndex + 1
            }
        }
    }

    private static func append(
        _ name: String,
        _ value: some Sequence<UInt8>,
        to query: inout OutputSpan<UInt8>
    ) {
        if !query.isEmpty {
            query.append(UInt8(ascii: "&"))
        }
        query.append(contentsOf: name.utf8)
        PercentEncoding.append(value, to: &query)
    }
}

// Descriptions and mirrors leave out everything but the account, because the report holds the keys in several
// forms.
extension ConversionReport: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "ConversionReport(\(self.account))" }

    package var debugDescription: String { self.description }

    package var customMirror: Mirror { Mirror(self, children: ["account": self.account]) }
}

extension OutputSpan<UInt8> {
    fileprivate mutating func append(contentsOf bytes: some Sequence<UInt8>) {
        for byte in bytes {
            self.append(byte)
        }
    }
}
