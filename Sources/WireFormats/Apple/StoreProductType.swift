/// What kind of product was bought.
package enum StoreProductType: Hashable, Sendable {
    case autoRenewableSubscription
    case nonConsumable
    case consumable
    case nonRenewingSubscription
    /// A word, or a number of an app receipt, that is not one of these.
    case other(String)

    /// As signed transactions spell it.
    package init(_ name: String) {
        switch name {
        case "Auto-Renewable Subscription": self = .autoRenewableSubscription
        case "Non-Consumable": self = .nonConsumable
        case "Consumable": self = .consumable
        case "Non-Renewing Subscription": self = .nonRenewingSubscription
        default: self = .other(name)
        }
    }

    /// As attribute 1707 of an app receipt numbers it; not documented by Apple.
    init(receiptNumber: Int64) {
        switch receiptNumber {
        case 0: self = .nonConsumable
        case 1: self = .consumable
        case 2: self = .nonRenewingSubscription
        case 3: self = .autoRenewableSubscription
        default: self = .other(String(receiptNumber))
        }
    }

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
