package import WireMessages

/// The result of an activation, from the topic `activation.result`.
public struct ActivationResult: RecordContent {
    /// The topic's name where no setting says otherwise.
    public static let topic = "activation.result"

    package var message: Flotilla_Activation_V1_ActivationResult

    package init(_ message: Flotilla_Activation_V1_ActivationResult) { self.message = message }

    /// Makes a value in which nothing is set.
    public init() { self.message = Flotilla_Activation_V1_ActivationResult() }

    public init(decoding record: Record) throws(RecordError) {
        self.message = try record.decoded()
    }

    public func encoded(as format: RecordFormat) throws(RecordError) -> [UInt8] {
        try format.encode(self.message)
    }

    /// The outcome of the input record. Every result has one.
    public var outcome: Outcome? {
        get { self.message.hasOutcome ? Outcome(self.message.outcome) : nil }
        set {
            if let newValue { self.message.outcome = newValue.message } else { self.message.clearOutcome() }
        }
    }

    /// The final answer of GDT; nil if it has given none.
    public var gdt: GDTAnswer? {
        get { self.message.hasGdt ? GDTAnswer(self.message.gdt) : nil }
        set {
            if let newValue { self.message.gdt = newValue.message } else { self.message.clearGdt() }
        }
    }

    /// The app of the conversion; 0 if the input could not be read.
    public var appID: UInt64 {
        get { self.message.appID }
        set { self.message.appID = newValue }
    }

    /// The advertiser's account; 0 if the input could not be read.
    public var advertiserID: UInt64 {
        get { self.message.advertiserID }
        set { self.message.advertiserID = newValue }
    }

    /// The type of the conversion; empty if the input could not be read.
    public var conversionType: String {
        get { self.message.conversionType }
        set { self.message.conversionType = newValue }
    }

    /// Whether the record named no time of the conversion, and its timestamp was taken instead.
    public var convertedAtAssumed: Bool {
        get { self.message.convertedAtAssumed }
        set { self.message.convertedAtAssumed = newValue }
    }

    /// The final answer of the Marketing API to a report or to a callback; nil if it has given none.
    public var marketingAPI: MarketingAPIAnswer? {
        get { self.message.hasMarketingApi ? MarketingAPIAnswer(self.message.marketingApi) : nil }
        set {
            if let newValue {
                self.message.marketingApi = newValue.message
            } else {
                self.message.clearMarketingApi()
            }
        }
    }

    /// The way of the report: `marketing_api` or `callback`. It is empty for GDT's scheme 2, and if the record ended
    /// before its way was known. A reader must expect more ways.
    public var route: String {
        get { self.message.route }
        set { self.message.route = newValue }
    }
}
