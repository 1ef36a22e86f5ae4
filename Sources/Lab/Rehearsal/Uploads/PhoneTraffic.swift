import Harness
import Operations
import Records
import SwiftProtobuf
import UpstreamSimulator
import WireFormats
import WireMessages

/// Makes the uploads, clicks and activations of the demo, and remembers what must come of each.
struct PhoneTraffic {
    /// An upload, and what must come of it.
    struct Upload {
        var title: String
        var phone: Phone
        var types: [PhoneEvent]
        /// The outcome of its activation; nil if it has none.
        var activation: Ending?
    }

    /// The expected end of an activation.
    enum Ending: Hashable {
        /// It is reported.
        case reported
        /// It is not reported, for this reason.
        case rejected(String)
    }

    /// The title of the upload that a phone sends a second time.
    static let again = "the first one, sent again"
    private static let usual: [PhoneEvent] = [
        .visit, .activate("$app_activation"), .page, .viewClick, .custom,
    ]

    let topic: String
    let now: Int64
    private(set) var uploads: [Upload] = []
    /// The digests of the devices that a click has led to.
    private(set) var clicked: [(muid: String, clickID: String, app: UInt64)] = []
    /// The digests of the shop's devices that must be reported to the Marketing API.
    private(set) var shopMuids: [String] = []
    /// The `cb` of the callback that must be called. Its `+` arrives only if the callback was decoded once.
    static let callback = "of+a/click"
    private var phones = 0

    init(topic: String, now: Int64) {
        self.topic = topic
        self.now = now
    }

    /// The number of different events in all uploads that can be read.
    var eventCount: Int {
        self.uploads.filter { $0.title != Self.again }.reduce(0) { $0 + $1.types.count }
    }

    // MARK: - Uploads

    private mutating func phone(isAndroid: Bool = false) -> Phone {
        self.phones += 1
        let source = isAndroid ? UploadAccounts.androidSource : UploadAccounts.iosSource
        return Phone(self.phones, dataSource: source, isAndroid: isAndroid)
    }

    /// An upload in each form, each of a phone whose activation a click has led to.
    mutating func everyForm() -> [Sample] {
        UploadForm.all.map { form in
            let phone = self.phone(isAndroid: form.compression == .snappy)
            let app = form.compression == .snappy ? UploadAccounts.shopApp : UploadAccounts.iosApp
            let muid = SimulatedMuid.text(of: phone.identifier.text ?? "")
            self.clicked.append((muid, "click-\(self.phones)", app))
            if form.compression == .snappy { self.shopMuids.append(muid) }
            return self.upload(form.name, of: phone, in: form, endsAs: .reported)
        }
    }

    /// Uploads that are not reported, each for another reason, and one that nobody can read.
    mutating func oddities() -> [Sample] {
        let form = UploadForm(isProtobuf: true, compression: .lz4, isEncrypted: true)
        guard let first = self.uploads.first?.phone else { return [] }
        var nameless = self.phone()
        nameless.identifier = .none
        // A dead letter of the intake leaves out what a phone may have sent.
        var stray = Sample.dead(
            "a record that is no upload",
            OutboundRecord(topic: self.topic, value: Array("{}".utf8)),
            as: .invalid,
            because: "upload.no_target"
        )
        stray.letterLeavesOutTheValue = true
        return [
            self.upload(Self.again, of: first, in: form, endsAs: .rejected("activation.duplicate")),
            self.upload(
                "no click has led to it",
                of: self.phone(),
                in: form,
                endsAs: .rejected("attribution.no_click")
            ),
            self.upload(
                "opened again by a link",
                of: self.phone(),
                in: form,
                [.visit, .activate("$app_reengage")],
                endsAs: .rejected("sdk_activation.reengage")
            ),
            self.upload(
                "no id that Tencent knows",
                of: nameless,
                in: form,
                endsAs: .rejected("sdk_activation.no_identifier")
            ),
            self.upload("pages alone", of: self.phone(), in: form, [.page, .page], endsAs: nil),
            self.broken("a body that was cut", in: form, because: "upload.lz4_truncated", cut: true),
            self.broken("encrypted, and no stm", in: form, because: "upload.stm", hasTime: false),
            stray,
        ]
    }

    private mutating func upload(
        _ title: String,
        of phone: Phone,
        in form: UploadForm,
        _ types: [PhoneEvent] = usual,
        endsAs ending: Ending?
    ) -> Sample {
        self.uploads.append(Upload(title: title, phone: phone, types: types, activation: ending))
        // A phone that sends its events again makes a new request with a new time.
        let stm = self.now + Int64(self.uploads.count) * 7
        let goesOn = if case .rejected(let code)? = ending { !code.hasPrefix("sdk_") } else { ending != nil }
        var sample = Sample.good(title, OutboundRecord(topic: self.topic), calls: 0...0, accepted: 0)
        sample.detail = "\(types.count) events, \(goesOn ? 1 : 0) to report"
        let events = PhoneEvents(types, of: phone, from: self.now - 60_000)
        self.post(&sample, form, body: form.body(of: events, stm: stm), query: "?stm=\(stm)")
        return sample
    }

    private mutating func broken(
        _ title: String,
        in form: UploadForm,
        because reason: String,
        cut: Bool = false,
        hasTime: Bool = true
    ) -> Sample {
        let stm = self.now + 1
        let events = PhoneEvents(Self.usual, of: self.phone(), from: self.now - 60_000)
        let body = form.body(of: events, stm: stm)
        var sample = Sample.refused(title, OutboundRecord(topic: self.topic), reason: reason)
        self.post(
            &sample,
            form,
            body: cut ? Array(body.dropLast(5)) : body,
            query: hasTime ? "?stm=\(stm)" : ""
        )
        return sample
    }

    private func post(_ sample: inout Sample, _ form: UploadForm, body: [UInt8], query: String) {
        let target = "/v3/projects/\(UploadAccounts.project)/collect\(query)"
        sample.record.value = body
        sample.post = Sample.Post(target: target, headers: form.headers, body: body) { record in
            record.text("upload.target") == target && record.value == body
        }
    }

    // MARK: - Clicks

    /// The click feed: a click for each phone whose activation is reported, and for the shop's devices.
    mutating func clickFeed() -> DemoStep.Prelude {
        for number in 1...Self.shopDevices {
            let id = number == Self.refused ? "bad-click" : "shop-click-\(number)"
            let muid = SimulatedMuid.text(of: Self.shopDevice(number))
            self.clicked.append((muid, id, UploadAccounts.shopApp))
        }
        let time = self.now / 1_000 - 600
        let posts = self.clicked.map { muid, id, app in
            Sample.Post(
                target: "/clicks/gdt?muid=\(muid)&click_id=\(id)&click_time=\(time)&appid=\(app)"
            ) { _ in false }
        }
        // A click is remembered at the home of its device and at its own.
        let known = 2 * posts.count
        return DemoStep.Prelude(
            posts: posts,
            isKnown: { $0.sum("intake_remembered", [("kind", "click")]) >= known },
            text: "\(posts.count) clicks came in at the gateway, and the intake remembers them"
        )
    }

    // MARK: - The shop

    private static let shopDevices = 13
    /// The numbers of the devices whose records are special.
    private static let (refused, called, strange) = (11, 12, 13)

    private static func shopDevice(_ number: Int) -> String {
        "7D92078A-8246-4BA4-AE5B-\(String(number + 0x1000_0000_0000, radix: 16, uppercase: true))"
    }

    /// Activations that the shop's backend publishes itself.
    mutating func ofTheShop(callbackTo simulator: String) -> [Sample] {
        let types = ConversionType.allCases
        var samples = (1...10).map { number in
            self.shopMuids.append(SimulatedMuid.text(of: Self.shopDevice(number)))
            let type = types[number % types.count]
            return Self.routed(
                "\(number): \(type.rawValue)",
                self.shopRecord(number, type),
                by: "marketing_api"
            )
        }
        samples.append(
            .refused(
                "Tencent refuses this one",
                self.shopRecord(Self.refused),
                reason: "marketing.31005",
                calls: 1
            )
        )
        let callback = SimulatedCallback.text(Self.callback, at: simulator)
        samples.append(
            Self.routed(
                "to the callback of its click",
                self.shopRecord(Self.called, callback: callback),
                by: "callback"
            )
        )
        samples.append(
            .refused(
                "a callback to a stranger",
                self.shopRecord(Self.strange, callback: "http://elsewhere.example/conv?cb=x"),
                reason: "callback.host"
            )
        )
        samples.append(
            .refused("no click has led to it", self.shopRecord(99), reason: "attribution.no_click")
        )
        return samples.map { sample in
            var sample = sample
            sample.isOneOfMany = sample.fate == .succeeded && sample.detail == "marketing_api"
            return sample
        }
    }

    private static func routed(_ title: String, _ record: OutboundRecord, by route: String) -> Sample {
        var sample = Sample.good(title, record, calls: 1...20)
        sample.detail = route
        return sample
    }

    private func shopRecord(
        _ number: Int,
        _ type: ConversionType = .activation,
        callback: String? = nil
    ) -> OutboundRecord {
        var message = Flotilla_Activation_V1_Activation()
        message.appID = UploadAccounts.shopApp
        message.advertiserID = UploadAccounts.shopAccount
        message.appType = "IOS"
        message.conversionType = type.rawValue
        message.deviceID = Self.shopDevice(number)
        message.convertedAt.seconds = self.now / 1_000 - 60
        if type == .payment { message.value = 12_800 }
        if let callback { message.callback = callback }
        return OutboundRecord(
            topic: UploadDemo.activations,
            key: Array(SimulatedMuid.text(of: message.deviceID).utf8),
            value: message.written(as: .json)
        )
    }
}
