package import WireMessages

/// The answer of Tencent's Marketing API to a report, or to a callback.
public struct MarketingAPIAnswer: Hashable, Sendable {
    package var message: Flotilla_Activation_V1_MarketingApi

    package init(_ message: Flotilla_Activation_V1_MarketingApi) { self.message = message }

    /// Makes a value in which nothing is set.
    public init() { self.message = Flotilla_Activation_V1_MarketingApi() }

    /// Tencent's code; 0 means accepted, which is not yet attributed.
    public var code: Int64? {
        get { self.message.hasCode ? self.message.code : nil }
        set {
            if let newValue { self.message.code = newValue } else { self.message.clearCode() }
        }
    }

    /// Tencent's message, at most 200 characters.
    public var text: String {
        get { self.message.message }
        set { self.message.message = newValue }
    }

    /// The HTTP status of the answer.
    public var httpStatus: Int32? {
        get { self.message.hasHTTPStatus ? self.message.httpStatus : nil }
        set {
            if let newValue { self.message.httpStatus = newValue } else { self.message.clearHTTPStatus() }
        }
    }
}
