/// The endpoints that have been called for one record.
///
/// Nearly always there is one endpoint, and it takes no memory outside of this value.
struct AskedEndpoints: Sendable {
    private var first: Int?
    private var others: [Int] = []

    var isEmpty: Bool { self.first == nil }

    /// Adds an endpoint that is being called.
    ///
    /// - Returns: Whether this is the record's first call to the endpoint.
    mutating func insert(_ endpoint: Int) -> Bool {
        guard let first = self.first else {
            self.first = endpoint
            return true
        }
        guard first != endpoint, !self.others.contains(endpoint) else { return false }
        self.others.append(endpoint)
        return true
    }

    /// Takes back an endpoint that was not called after all.
    mutating func remove(_ endpoint: Int) {
        self.others.removeAll { $0 == endpoint }
        guard self.first == endpoint else { return }
        self.first = self.others.isEmpty ? nil : self.others.removeFirst()
    }
}
