package import Operations
package import ServiceKit
import StreamKit
package import WireFormats
import WorkerKit

/// All settings of the intake, read from its file and the environment.
package struct IntakeSettings: Sendable {
    /// Which activations are reported.
    enum Attribution: String, CaseIterable, Sendable {
        /// Every activation.
        case all
        /// Only activations that a click has led to.
        case match
    }

    package var kafka: KafkaSettings
    package var operation: OperationSettings
    var stream: StreamSettings
    package var topics: IntakeTopics
    /// The apps whose uploads are taken, by the account and the data source that the SDK sends.
    var apps: [SDKSource: SDKApp]
    var attribution: Attribution
    /// How long before its activation a click may lie.
    var clickWindow: Duration
    /// How long an activation waits for its click to be read; zero if not at all.
    var clickPatience: Duration
    /// How long the same conversion of the same device is a duplicate; zero if that is not looked at.
    var duplicateWindow: Duration
    /// The types of conversions that happen once for a device.
    var singleTypes: Set<ConversionType>
    /// How long an event is recognised that a phone sends again.
    var eventWindow: Duration
    /// The callbacks of clicks that are kept.
    var callbacks: CallbackURL.Rules
    /// The encryptions of uploads that are known.
    var ciphers: UploadCiphers

    /// Whether uploads of SDKs are consumed.
    package var takesUploads: Bool { !self.apps.isEmpty || self.topics.events != nil }
    /// Whether the click feed is consumed.
    package var matchesClicks: Bool { self.attribution == .match }
    /// How long a click is remembered: an activation can be uploaded as late as events are recognised, and the click
    /// lies before the activation.
    var clickMemory: Duration { self.clickWindow + self.eventWindow }
    /// The longest time for which anything is remembered.
    package var longestWindow: Duration {
        max(self.matchesClicks ? self.clickMemory : .zero, self.duplicateWindow, self.eventWindow)
    }

    /// Reads and checks all settings. Faults are reported to the reader, not thrown.
    ///
    /// - Parameter ciphers: The encryptions of uploads that are known.
    package init(
        _ reader: SettingsReader,
        _ identity: WorkerIdentity = .activationIntake,
        ciphers: UploadCiphers = .standard
    ) {
        self.ciphers = ciphers
        let kafka = reader.section("kafka")
        self.kafka = KafkaSettings(kafka, identity)
        let uploads = reader.section("sdk")
        let clicks = reader.section("clicks")
        self.topics = Self.topics(kafka, self.kafka, uploads: uploads, clicks: clicks)
        self.operation = OperationSettings(reader)
        self.stream = StreamSettings(
            reader.section("state"),
            memoryHelp:
                "The memory of all threads together; some 150 bytes for a device, a click or an event. "
                + "Above half of it the oldest make room for what is new.",
            crashFolder: WorkerSettings.temporaryFolder(of: self.kafka.group)
        )
        self.apps = SDKApp.apps(uploads)
        self.eventWindow = uploads.duration(
            "event_window",
            // The SDK sends an event again until it is answered, and keeps it for 7 days unless the app says
            // otherwise (3 to 30).
            default: .seconds(7 * 86_400),
            in: .seconds(60) ... .seconds(30 * 86_400),
            help: "How long an event is recognised that a phone sends again; no less than the SDK keeps it."
        )
        let hosts = clicks.strings(
            "callback_hosts",
            default: CallbackURL.standardHosts,
            help: "The hosts that the callback of a click may name. One that names another is left out."
        )
        if let fault = CallbackURL.Rules.fault(of: hosts) { clicks.reportFault("callback_hosts", fault) }
        self.callbacks = CallbackURL.Rules(hosts: Set(hosts.map { $0.lowercased() }))
        let attribution = reader.section("attribution")
        self.attribution = attribution.oneOf(
            "report",
            default: Attribution.all,
            help: "Which activations are reported: all, or those that match a click (match)."
        )
        self.clickWindow = attribution.duration(
            "window",
            default: .seconds(7 * 86_400),
            in: .seconds(60) ... .seconds(90 * 86_400),
            help: "How long before its activation a click may lie."
        )
        self.clickPatience = attribution.duration(
            "patience",
            default: .seconds(300),
            in: .zero ... .seconds(86_400),
            help: "How long an activation without a click waits for it to be read; 0 for not at all."
        )
        let duplicates = reader.section("duplicates")
        self.duplicateWindow = duplicates.duration(
            "window",
            default: .seconds(30 * 86_400),
            in: .zero ... .seconds(180 * 86_400),
            help: "How long the same conversion of the same device and account is a duplicate; 0 for never."
        )
        self.singleTypes = Self.singleTypes(duplicates)
    }

    private static func topics(
        _ reader: SettingsReader,
        _ kafka: KafkaSettings,
        uploads: SettingsReader,
        clicks: SettingsReader
    ) -> IntakeTopics {
        let home = reader.string(
            "home_topic",
            default: "\(kafka.topic).home",
            help: "An internal topic, where everything about one device meets in one partition."
        )
        let upload = uploads.string("topic", default: "sdk-upload", help: "The uploads of SDKs.")
        return IntakeTopics(
            activations: kafka.topic,
            uploads: upload,
            clicks: clicks.string(
                "topic",
                default: "activation-click",
                help: "The click feed; consumed with attribution.report: match."
            ),
            home: home,
            changelog: reader.string(
                "changelog_topic",
                default: "\(home).changelog",
                help: "Gets what is remembered; as many partitions as the home topic, compacted."
            ),
            changelogPartitions: StateSpread.limit(reader),
            due: reader.string(
                "due_topic",
                default: "\(kafka.topic).due",
                help: "Gets the activations that are to be reported: kafka.topic of activation-worker run."
            ),
            events: uploads.optionalString(
                "events_topic",
                help: "Gets every event of every upload, each once."
            ),
            result: kafka.resultTopic,
            uploadResult: uploads.string(
                "result_topic",
                default: "\(upload).result",
                help: "Gets the outcome of each upload."
            ),
            deadLetter: kafka.deadLetterTopic,
            routedLetters: kafka.deadLetterRoutes.topics(besides: kafka.deadLetterTopic)
        )
    }

    private static func singleTypes(_ reader: SettingsReader) -> Set<ConversionType> {
        let names = reader.strings(
            "types",
            default: [ConversionType.activation, .registration].map(\.rawValue),
            help:
                "The conversions that happen once for a device. A payment can be made twice, so it is not one."
        )
        let types = names.compactMap { ConversionType(rawValue: $0) }
        if types.count < names.count {
            reader.reportFault(
                "types",
                "must be of " + ConversionType.allCases.map(\.rawValue).joined(separator: ", ")
            )
        }
        return Set(types)
    }
}
