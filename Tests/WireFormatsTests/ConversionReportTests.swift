import SwiftProtobuf
import TestMaterial
import Testing
import WireMessages

@testable import WireFormats

@Suite struct ConversionReportTests {
    @Test func readsEveryRowOfTheVectors() {
        #expect(GDTVector.all.count == 21)
        #expect(GDTVector.all.count { $0.outputs == nil } == 4)
    }

    @Test(arguments: GDTVector.all.filter { $0.outputs != nil })
    func takesEveryStepAsTheVectorsDo(vector: GDTVector) throws {
        let outputs = try #require(vector.outputs)
        let conversion = try self.conversion(vector)
        let report = try self.report(vector)
        let queryString = report.queryString(of: conversion)
        let property = report.property(of: queryString)
        let signature = report.signature(of: property)
        let baseData = report.baseData(queryString, signature: signature)
        let v = report.v(of: baseData)

        #expect(Self.text(conversion.muid.text) == outputs.muid)
        #expect(Self.text(queryString) == outputs.query_string)
        #expect(
            outputs.page == "http://t.gdt.qq.com/conv/app/\(vector.inputs.appid)/conv?"
                + Self.text(queryString)
        )
        #expect(Self.text(PercentEncoding.encode(Array(outputs.page.utf8))) == outputs.encoded_page)
        #expect(Self.text(property) == outputs.property)
        #expect(outputs.property == vector.inputs.sign_key + "&GET&" + outputs.encoded_page)
        #expect(Self.text(signature) == outputs.signature)
        #expect(Self.text(baseData) == outputs.base_data)
        #expect(Self.text(v) == outputs.v_base64)
        #expect(Self.text(PercentEncoding.encode(v)) == outputs.v_encoded)
        #expect(report.url(of: conversion) == outputs.final_url)
    }

    @Test(arguments: GDTVector.all.filter { $0.outputs == nil })
    func refusesWhatTheVectorsRefuse(vector: GDTVector) {
        #expect(throws: (any Error).self) {
            let report = try self.report(vector)
            _ = report.url(of: try self.conversion(vector))
        }
    }

    @Test(arguments: ["http://127.0.0.1:8080", "http://127.0.0.1:8080/", "http://127.0.0.1:8080//"])
    func sendsElsewhereWhatItSignsForGDT(base: String) throws {
        let vector = try #require(GDTVector.all.first)
        let outputs = try #require(vector.outputs)
        let url = try self.report(vector, baseURL: BaseURL(base)).url(of: self.conversion(vector))
        #expect(url == "http://127.0.0.1:8080" + outputs.final_url.dropFirst("http://t.gdt.qq.com".count))
    }

    @Test func sendsAValueLast() throws {
        let vector = try #require(GDTVector.all.first)
        var conversion = try self.conversion(vector)
        conversion.conversionType = .payment
        conversion.value = 4_990
        let text = Self.text(try self.report(vector).queryString(of: conversion))
        #expect(text.hasSuffix("&client_ip=10.11.12.13&value=4990"))
    }

    @Test func hasRoomForTheLongestConversion() throws {
        let account = GDTAccount(appID: .max, advertiserID: .max)
        let conversion = Activation(
            account: account,
            appType: .unionAndroid,
            conversionType: .addToCart,
            muid: try MUID(digest: "0f074dc8e1f0547310e729032ac0730b"),
            convertedAt: .max,
            clientIP: "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255",
            clickID: String(repeating: "%", count: 128),
            value: .max
        )
        let url = ConversionReport(for: account, keys: try GDTKeys(signKey: "s", encryptKey: "\u{7e}"))
            .url(of: conversion)
        #expect(url.hasSuffix("&app_type=UNIONANDROID&advertiser_id=18446744073709551615"))
    }

    // MARK: Order

    @Test(arguments: [
        (["muid", "conv_time"], "muid conv_time click_id client_ip value"),
        (["click_id", "muid", "conv_time", "client_ip"], "click_id muid conv_time client_ip value"),
        (["value", "conv_time", "muid"], "value conv_time muid click_id client_ip"),
    ])
    func completesAnOrder(names: [String], expected: String) throws {
        let order = try ConversionParameterOrder(names)
        #expect(order.parameters.map(\.rawValue).joined(separator: " ") == expected)
    }

    @Test(arguments: [
        [], ["muid"], ["conv_time", "click_id"], ["muid", "conv_time", "muid"], ["muid", "conv_time", "ip"],
    ])
    func refusesAnOrder(names: [String]) {
        #expect(throws: ConversionParameterOrder.Fault.self) { try ConversionParameterOrder(names) }
    }

    private func report(_ vector: GDTVector, baseURL: BaseURL? = nil) throws -> ConversionReport {
        ConversionReport(
            for: GDTAccount(appID: vector.inputs.appid, advertiserID: vector.inputs.uid),
            keys: try GDTKeys(signKey: vector.inputs.sign_key, encryptKey: vector.inputs.encrypt_key),
            baseURL: baseURL,
            order: try vector.inputs.order.map { try ConversionParameterOrder($0) } ?? .standard
        )
    }

    /// By the same road as a record: through the message, with all its rules.
    private func conversion(_ vector: GDTVector) throws -> Activation {
        let inputs = vector.inputs
        return try ActivationDraft {
            $0.appID = inputs.appid
            $0.advertiserID = inputs.uid
            $0.appType = inputs.app_type
            $0.conversionType = inputs.conv_type
            $0.deviceID = inputs.idfa ?? inputs.imei ?? ""
            $0.muid = inputs.muid ?? ""
            $0.convertedAt.seconds = inputs.conv_time
            if let clientIP = inputs.client_ip { $0.clientIp = clientIP }
            if let clickID = inputs.click_id { $0.clickID = clickID }
            if let value = inputs.value { $0.value = value }
        }.activation()
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
