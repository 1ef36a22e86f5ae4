/// The environment in which a purchase was made. An id is unique only within its environment.
package enum StoreEnvironment: Hashable, Sendable {
    /// The App Store.
    case production
    /// Apple's sandbox, which also serves TestFlight and App Review.
    case sandbox
    /// Xcode, whose purchases neither of Apple's hosts knows.
    case xcode
    /// Local testing, whose purchases neither of Apple's hosts knows.
    case localTesting
    /// A name that Apple did not use when this was written.
    case other(String)

    /// Reads the name that signed transactions and the App Store Server API use.
    package init(_ name: String) {
        guard name.utf8.count <= Self.nameBytesLimit else {
            self = .other(name)
            return
        }
        switch name {
        case "Production": self = .production
        case "Sandbox": self = .sandbox
        case "Xcode": self = .xcode
        case "LocalTesting": self = .localTesting
        default: self = .other(name)
        }
    }

    /// Reads the name in `receipt_type` and in attribute 0 of an app receipt, where volume purchases have
    /// names of their own.
    package init(receiptType: String) {
        guard receiptType.utf8.count <= Self.nameBytesLimit else {
            self = .other(receiptType)
            return
        }
        switch receiptType {
        case "Production", "ProductionVPP": self = .production
        case "ProductionSandbox", "ProductionVPPSandbox": self = .sandbox
        default: self.init(receiptType)
        }
    }

    /// More bytes than any name of Apple's has. Anybody can write a receipt, and to compare a long text with a name
    /// can take hours.
    private static let nameBytesLimit = 256

    /// The name that signed transactions and the App Store Server API use.
    package var name: String {
        switch self {
        case .production: "Production"
        case .sandbox: "Sandbox"
        case .xcode: "Xcode"
        case .localTesting: "LocalTesting"
        case .other(let name): name
        }
    }
}
