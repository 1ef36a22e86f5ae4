/// Where a purchase was made. Ids of different environments are different spaces.
package enum StoreEnvironment: Hashable, Sendable {
    case production
    case sandbox
    case xcode
    case localTesting
    /// A word that Apple did not have when this was written.
    case other(String)

    /// As signed transactions and the App Store Server API spell it.
    package init(_ name: String) {
        switch name {
        case "Production": self = .production
        case "Sandbox": self = .sandbox
        case "Xcode": self = .xcode
        case "LocalTesting": self = .localTesting
        default: self = .other(name)
        }
    }

    /// As `receipt_type` and attribute 0 of an app receipt spell it, where a volume purchase has a word of its own.
    package init(receiptType: String) {
        switch receiptType {
        case "Production", "ProductionVPP": self = .production
        case "ProductionSandbox", "ProductionVPPSandbox": self = .sandbox
        default: self.init(receiptType)
        }
    }

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
