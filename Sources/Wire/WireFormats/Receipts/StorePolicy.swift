/// The rules of an app for purchases that Apple approves.
package struct StorePolicy: Hashable, Sendable {
    /// The treatment of purchases outside production. App Review and TestFlight buy in the sandbox, with the
    /// build that is released afterwards, so rejecting these purchases fails the review.
    package enum OutsideProduction: String, Hashable, Sendable, CaseIterable {
        /// Such a purchase counts like any other.
        case accept
        /// Such a purchase counts, and its result is flagged.
        case flag
        /// Such a purchase is invalid.
        case reject
    }

    /// The treatment of purchases outside production.
    package var outsideProduction: OutsideProduction
    /// The products that the app sells; nil if the configuration names none, which accepts all.
    package var products: Set<String>?

    package init(outsideProduction: OutsideProduction = .flag, products: Set<String>? = nil) {
        self.outsideProduction = outsideProduction
        self.products = products
    }

    /// Returns whether the app sells the transaction's product; true if no products are configured.
    func sells(_ transaction: StoreTransaction) -> Bool {
        guard let products = self.products else { return true }
        return transaction.productID.map(products.contains) ?? false
    }
}
