/// What a client says that it has bought.
package struct StoreClaim: Hashable, Sendable {
    package var bundleID: String
    package var transactionID: String?
    package var productID: String?

    package init(bundleID: String, transactionID: String? = nil, productID: String? = nil) {
        self.bundleID = bundleID
        self.transactionID = transactionID
        self.productID = productID
    }
}
