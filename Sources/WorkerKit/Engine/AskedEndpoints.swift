/// The endpoints that have been called for one record. Nearly always that is one, and takes no memory.
struct AskedEndpoints: Sendable {
    private var first: Int?
    private var others: [Int] = []

    /// - Returns: whether this is the first call to it.
    mutating func insert(_ endpoint: Int) -> Bool {
        guard let first = self.first else {
            self.first = endpoint
            return true
        }
        guard first != endpoint, !self.others.contains(endpoint) else { return false }
        self.others.append(endpoint)
        return true
    }
}
