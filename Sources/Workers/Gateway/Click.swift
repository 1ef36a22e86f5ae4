import WireFormats

/// A click as it comes in: the parameters of its target, and one of them that is its key.
struct Click: Sendable {
    /// The longest key of a click, in bytes.
    private static let keyLimit = 256

    let key: [UInt8]
    /// The parameters, as they came.
    let query: [UInt8]

    /// Reads the target of a request.
    ///
    /// - Parameter names: The parameters whose value can be the key; the first that has a value is.
    /// - Throws: `Answer.malformed` if there is no key.
    init(of target: String, keys names: [String]) throws(Answer) {
        let parts = target.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1)
        guard parts.count == 2 else { throw .malformed("a click without parameters") }
        self.query = Array(parts[1])
        guard let key = Self.key(of: self.query, names: names) else {
            throw .malformed("a click without an id")
        }
        self.key = key
    }

    /// Returns the value of the first of these parameters that has one. Names are the same in any case, as they
    /// are for the reader of the topic. A macro that the platform has not replaced, such as `__MUID__`, is no
    /// value.
    private static func key(of query: [UInt8], names: [String]) -> [UInt8]? {
        let parameters = query.split(separator: UInt8(ascii: "&"))
        for name in names {
            let prefix = "\(name)=".utf8.map(\.lowercased)
            for parameter in parameters where parameter.starts(with: prefix, by: { $0.lowercased == $1 }) {
                let value = PercentEncoding.decode(parameter.dropFirst(prefix.count))
                let isMacro = value.starts(with: "__".utf8)
                if !isMacro, (1...Self.keyLimit).contains(value.count) { return value }
            }
        }
        return nil
    }
}
