import Foundation
import Records
import ServiceKit

// The records of these tests.
extension IntakeBench {
    static let muid = "0123456789abcdef0123456789abcdef"

    static func activation(
        muid: String = Self.muid,
        type: String = "MOBILEAPP_ACTIVITE",
        click: String? = nil,
        at milliseconds: Int64 = Self.start.wall,
        more: String = ""
    ) -> [UInt8] {
        let time = Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601)
        let click = click.map { #","clickId":"\#($0)""# } ?? ""
        return Array(
            #"{"appId":"112233","advertiserId":"10000","appType":"IOS","conversionType":"\#(type)","muid":"\#(muid)","convertedAt":"\#(time)"\#(click)\#(more)}"#
                .utf8
        )
    }

    static func click(
        muid: String? = Self.muid,
        id: String? = nil,
        secondsBefore: Int64,
        app: String = "112233",
        advertiser: String? = nil,
        callback: String? = nil
    ) -> [UInt8] {
        let time = Self.start.wall / 1_000 - secondsBefore
        let parts =
            ["click_time=\(time)", "appid=\(app)"] + (muid.map { ["muid=\($0)"] } ?? [])
            + (id.map { ["click_id=\($0)"] } ?? []) + (advertiser.map { ["advertiser_id=\($0)"] } ?? [])
            + (callback.map { ["callback=\($0)"] } ?? [])
        return Array(parts.joined(separator: "&").utf8)
    }

    static func clickID(of record: OutboundRecord) -> String? {
        String(decoding: record.value ?? [], as: UTF8.self).firstMatch(of: #/"clickId":"([^"]*)"/#).map {
            String($0.1)
        }
    }
}
