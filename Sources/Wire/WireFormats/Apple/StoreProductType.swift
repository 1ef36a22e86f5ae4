/// The type of product that was bought.
package enum StoreProductType: Hashable, Sendable {
    case autoRenewableSubscription
    case nonConsumable
    case consumable
    case nonRenewingSubscription
    /// A name that is none of the above, or an unknown number of an app receipt.
    case other(String)

    /// Reads the name that signed transactions use.
    package init(_ name: String) {
        // No name of Apple's is as long.
        guard name.utf8.count <= 256 else {
            self = .other(name)
            return
        }
        switch name {
        case "Auto-Renewable Subscription": self = .autoRenewableSubscription
        case "Non-Consumable": self = .nonConsumable
        case "Consumable": self = .consumable
        case "Non-Renewing Subscription": self = .nonRenewingSubscription
        default: self = .other(name)
        }
    }

    /// Reads the number in attribute 1707 of an app receipt, which Apple does not document.
    init(receiptNumber: Int64) {
        switch receiptNumber {
        case 0: self = .nonConsumable
        case 1: self = .consumable
        case 2: self = .nonRenewingSubscription
        case 3: self = .autoRenewableSubscription
        default: self = .other(String(receiptNumber))
        }
    }

    /// The name that signed transactions use.
    package var name: String {
        switch self {
        case .autoRenewableSubscription: "Auto-Renewable Subscription"
        case .nonConsumable: "Non-Consumable"
        case .consumable: "Consumable"
        case .nonRenewingSubscription: "Non-Renewing Subscription"
        case .other(let name): name
        }
    }
}
