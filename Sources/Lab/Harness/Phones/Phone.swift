/// A phone with one of GrowingIO's SDKs.
package struct Phone: Hashable, Sendable {
    /// The id by which Tencent knows the phone.
    package enum Identifier: Hashable, Sendable {
        case idfa(String)
        case imei(String)
        case none

        /// The id as text; nil if there is none.
        package var text: String? {
            switch self {
            case .idfa(let text), .imei(let text): text
            case .none: nil
            }
        }
    }

    package var deviceID: String
    package var dataSource: String
    package var identifier: Identifier

    package init(deviceID: String, dataSource: String, identifier: Identifier) {
        self.deviceID = deviceID
        self.dataSource = dataSource
        self.identifier = identifier
    }

    /// Makes a phone that differs from those with other numbers: an iPhone, or an Android phone with an IMEI.
    package init(_ number: Int, dataSource: String, isAndroid: Bool = false) {
        func padded(_ text: String, to width: Int) -> String {
            String(repeating: "0", count: max(0, width - text.count)) + text
        }
        let id = padded(String(number, radix: 16, uppercase: true), to: 12)
        self.init(
            deviceID: "8C6D2F0A-5B1E-4C7D-9A3F-\(id)",
            dataSource: dataSource,
            identifier: isAndroid
                ? .imei("86\(padded(String(number), to: 13))") : .idfa("1E2DFA89-496A-47FD-9941-\(id)")
        )
    }

    /// The fields of an event of this phone, by their numbers and names in the SDK.
    func fields(of event: PhoneEvent, sequence: UInt64, at time: UInt64) -> [PhoneEvents.Field] {
        let isAndroid = if case .imei = self.identifier { true } else { false }
        var fields: [PhoneEvents.Field] = [
            (1, "deviceId", .text(self.deviceID)),
            (4, "sessionId", .text("351B2E50-1BE9-4B17-B899-49445F305EC6")),
            (5, "dataSourceId", .text(self.dataSource)),
            (7, "platform", .text(isAndroid ? "Android" : "iOS")), (8, "timestamp", .number(time)),
            (9, "domain", .text("com.example.fleet")), (15, "eventSequenceId", .number(sequence)),
            (16, "screenHeight", .number(2_556)), (17, "screenWidth", .number(1_179)),
            (18, "language", .text("zh-Hans-CN")), (19, "sdkVersion", .text("4.11.0")),
            (20, "appVersion", .text("2.1.0")), (31, "urlScheme", .text("growing.1234567890abcdef")),
            (32, "appState", .text("FOREGROUND")), (33, "networkState", .text("WIFI")),
            (36, "platformVersion", .text("17.4.1")), (37, "deviceBrand", .text("Apple")),
            (38, "deviceModel", .text("iPhone15,2")), (39, "deviceType", .text("iPhone")),
            (42, "appName", .text("Fleet")), (57, "timezoneOffset", .text("-480")),
            (6, "eventType", .number(event.number)),
        ]
        let identifier: [PhoneEvents.Field] =
            switch self.identifier {
            case .idfa(let text): [(50, "idfa", .text(text))]
            case .imei(let text): [(46, "imei", .text(text))]
            case .none: []
            }
        switch event {
        case .visit: fields += identifier
        case .activate(let name):
            fields.append((22, "eventName", .text(name)))
            fields += identifier
            fields.append((24, "attributes", .map([("userAgent", "Mozilla/5.0 (iPhone) Mobile/15E148")])))
        case .custom:
            fields.append((22, "eventName", .text("pay")))
            fields.append((24, "attributes", .map([("amount", "\(sequence).50"), ("goods", "鞋")])))
        case .page, .viewClick:
            fields.append((10, "path", .text("/shop/item/\(sequence % 17)/")))
            fields.append((12, "title", .text("商品 \(sequence % 17)")))
        }
        return fields
    }
}

/// The kinds of events that the lab's phones send.
package enum PhoneEvent: Hashable, Sendable {
    case visit, custom, page, viewClick
    /// An activation or a wake-up, told apart by its name.
    case activate(String)

    static let others: [PhoneEvent] = [.page, .viewClick, .custom]
    static let names: [UInt64: String] = [
        0: "VISIT", 1: "CUSTOM", 6: "PAGE", 8: "VIEW_CLICK", 11: "ACTIVATE",
    ]

    /// The number of the type in the SDK's protobuf.
    var number: UInt64 {
        switch self {
        case .visit: 0
        case .custom: 1
        case .page: 6
        case .viewClick: 8
        case .activate: 11
        }
    }

    /// The name of the type in the SDK's JSON.
    package var name: String { Self.names[self.number] ?? "" }
}
