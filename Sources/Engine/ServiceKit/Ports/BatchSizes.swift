/// The most elements of a request, for keys whose requests have failed lately.
///
/// An upstream may fail to answer a request for the sake of one element. If many records are of that kind, full
/// requests would all fail, and every record with them. So a failure halves the size of the key's requests, down
/// to single elements, and each full request that is answered adds one.
struct BatchSizes: Sendable {
    /// The most keys that are remembered. A phone can choose a part of a key, such as the URL of a callback.
    static let keysLimit = 1_000

    private var sizes: [String: Int] = [:]

    /// The most elements of a request of this key.
    subscript(key: String) -> Int { self.sizes[key] ?? .max }

    /// Notes that a request with so many elements got no answer. One that failed alone says nothing of the
    /// others.
    mutating func failed(_ key: String, with count: Int) {
        guard count > 1 else { return }
        let size = min(self[key], count / 2)
        if self.sizes[key] == nil, self.sizes.count >= Self.keysLimit, let other = self.sizes.keys.first {
            self.sizes[other] = nil
        }
        self.sizes[key] = size
    }

    /// Notes that a request with so many elements was answered.
    ///
    /// - Parameter limit: The most elements that a request of this key may ever have.
    mutating func answered(_ key: String, to count: Int, limit: Int) {
        guard let size = self.sizes[key], count >= size else { return }
        self.sizes[key] = size + 1 < limit ? size + 1 : nil
    }
}
