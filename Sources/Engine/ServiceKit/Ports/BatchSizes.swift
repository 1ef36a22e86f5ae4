/// The most elements of a request, for keys whose requests have failed lately.
///
/// An upstream may fail to answer a request for the sake of one element. If many records are of that kind, full
/// requests would all fail, and every record with them. So a failure halves the size of the key's requests, down
/// to single elements. It grows slowly, by one element for every few full requests in a row that are answered:
/// among many such records, a larger request would take sound records with it again and again.
struct BatchSizes: Sendable {
    /// The most keys that are remembered. A phone can choose a part of a key, such as the URL of a callback.
    static let keysLimit = 1_000
    /// The number of full requests in a row that are answered before the next ones have one element more.
    static let answersPerStep = 3

    private struct Size {
        var elements: Int
        /// The number of full requests that were answered since the size changed or a request failed.
        var answers = 0
    }

    private var sizes: [String: Size] = [:]

    /// The most elements of a request of this key.
    subscript(key: String) -> Int { self.sizes[key]?.elements ?? .max }

    /// Notes that a request with so many elements got no answer.
    ///
    /// - Parameter isKnown: Whether its records have failed before. If one fails alone then, it says nothing of the
    ///   others.
    mutating func failed(_ key: String, with count: Int, isKnown: Bool) {
        guard count > 1 else {
            if !isKnown { self.sizes[key]?.answers = 0 }
            return
        }
        let size = min(self[key], count / 2)
        if self.sizes[key] == nil, self.sizes.count >= Self.keysLimit, let other = self.sizes.keys.first {
            self.sizes[other] = nil
        }
        self.sizes[key] = Size(elements: size)
    }

    /// Notes that a request with so many elements was answered.
    ///
    /// - Parameter limit: The most elements that a request of this key may ever have.
    mutating func answered(_ key: String, to count: Int, limit: Int) {
        guard var size = self.sizes[key], count >= size.elements else { return }
        size.answers += 1
        if size.answers >= Self.answersPerStep { size = Size(elements: size.elements + 1) }
        self.sizes[key] = size.elements < limit ? size : nil
    }
}
