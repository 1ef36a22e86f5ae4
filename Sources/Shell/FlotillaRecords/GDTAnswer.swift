package import WireMessages

/// The answer of GDT to a report.
public struct GDTAnswer: Hashable, Sendable {
    package var message: Flotilla_Activation_V1_Gdt

    package init(_ message: Flotilla_Activation_V1_Gdt) { self.message = message }

    /// Makes a value in which nothing is set.
    public init() { self.message = Flotilla_Activation_V1_Gdt() }

    /// GDT's code; 0 means accepted, which is not yet attributed.
    public var ret: Int32? {
        get { self.message.hasRet ? self.message.ret : nil }
        set {
            if let newValue { self.message.ret = newValue } else { self.message.clearRet() }
        }
    }

    /// GDT's message, at most 200 characters.
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
