/// What an app lets pass beyond what Apple approves of.
package struct StorePolicy: Hashable, Sendable {
    /// What becomes of purchases outside production. App Review and TestFlight buy in the sandbox with the build that
    /// is then released: to reject them fails the review.
    package enum OutsideProduction: String, Hashable, Sendable, CaseIterable {
        case accept
        case flag
        case reject
    }

    package var outsideProduction: OutsideProduction
    /// What the app sells; nil if nobody has said.
    package var products: Set<String>?

    package init(outsideProduction: OutsideProduction = .flag, products: Set<String>? = nil) {
        self.outsideProduction = outsideProduction
        self.products = products
    }

    func sells(_ transaction: StoreTransaction) -> Bool {
        guard let products = self.products else { return true }
        return transaction.productID.map(products.contains) ?? false
    }
}
