import Cryptography

/// Writes the URLs that report conversions of one account to GDT ("API scheme 2").
///
/// The steps bear the names of GDT's own document, and run in its order: query string, page, property,
/// signature, base data, v. What is signed is always GDT's own host over plain HTTP, wherever the request goes.
/// All of it works on bytes, since that is what is signed.
package struct ConversionReport: Hashable, Sendable {
    package let account: GDTAccount
    private let keys: GDTKeys
    private let parameters: [ConversionParameter]
    private let signedPrefix: [UInt8]
    private let sentPrefix: [UInt8]
    private let advertiserSuffix: [UInt8]

    /// Where GDT is, and what is signed even where a test's simulator stands in for it.
    package static let host = "http://t.gdt.qq.com"

    /// `baseURL` nil means GDT itself.
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
        self.signedPrefix = Array((Self.host + path).utf8)
        self.sentPrefix = Array(((baseURL?.text ?? Self.host) + path + "v=").utf8)
        self.advertiserSuffix = Array("&advertiser_id=\(account.advertiserID)".utf8)
    }

    /// The URL to GET. The same conversion gives the same URL at every attempt.
    package func url(of conversion: Activation) -> String {
        let queryString = self.queryString(of: conversion)
        let signature = self.signature(of: self.property(of: self.page(queryString)))
        let v = self.v(of: self.baseData(queryString, signature: signature))
        var url: [UInt8] = []
        url.reserveCapacity(self.sentPrefix.count + v.count + 128)
        url += self.sentPrefix
        PercentEncoding.append(v, to: &url)
        url += "&conv_type=".utf8
        url += conversion.conversionType.rawValue.utf8
        url += "&app_type=".utf8
        url += conversion.appType.rawValue.utf8
        url += self.advertiserSuffix
        return String(decoding: url, as: UTF8.self)
    }

    func queryString(of conversion: Activation) -> [UInt8] {
        var query: [UInt8] = []
        query.reserveCapacity(128)
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
        return query
    }

    func page(_ queryString: [UInt8]) -> [UInt8] {
        self.signedPrefix + queryString
    }

    func encodedPage(_ page: [UInt8]) -> [UInt8] {
        PercentEncoding.encode(page)
    }

    func property(of page: [UInt8]) -> [UInt8] {
        self.keys.signKey + "&GET&".utf8 + self.encodedPage(page)
    }

    func signature(of property: [UInt8]) -> [UInt8] {
        Digest.md5.hexadecimal(property)
    }

    func baseData(_ queryString: [UInt8], signature: [UInt8]) -> [UInt8] {
        queryString + "&sign=".utf8 + signature
    }

    func v(of baseData: [UInt8]) -> [UInt8] {
        Base64.encode(self.masked(baseData))
    }

    /// Combines every byte with the key's, over and over. Done twice it gives the bytes back.
    func masked(_ bytes: [UInt8]) -> [UInt8] {
        let key = self.keys.encryptKey
        var masked = bytes
        var keyIndex = 0
        for index in masked.indices {
            masked[index] ^= key[keyIndex]
            keyIndex += 1
            if keyIndex == key.count {
                keyIndex = 0
            }
        }
        return masked
    }

    private static func append(_ name: String, _ value: some Sequence<UInt8>, to query: inout [UInt8]) {
        if !query.isEmpty {
            query.append(UInt8(ascii: "&"))
        }
        query += name.utf8
        PercentEncoding.append(value, to: &query)
    }
}
