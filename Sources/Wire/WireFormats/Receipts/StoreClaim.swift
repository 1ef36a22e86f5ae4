/// The purchase that a client claims to have made.
package struct StoreClaim: Hashable, Sendable {
    /// The app that the purchase has to be of.
    package var bundleID: String
    /// The claimed transaction; nil accepts any.
    package var transactionID: String?
    /// The claimed product; nil accepts any.
    package var productID: String?

    package init(bundleID: String, transactionID: String? = nil, productID: String? = nil) {
        self.bundleID = bundleID
        self.transactionID = transactionID
        self.productID = productID
    }
}
