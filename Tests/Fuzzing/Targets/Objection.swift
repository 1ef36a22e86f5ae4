/// Something that does not hold of what a decoder made of an input.
struct Objection: Error, CustomStringConvertible {
    let description: String
}

/// Objects unless it holds.
func claim(_ sentence: @autoclosure () -> String, _ holds: Bool) throws(Objection) {
    guard holds else { throw Objection(description: "does not hold: \(sentence())") }
}

extension Objection {
    /// Returns a value that has to be there.
    static func unless<Value>(_ value: Value?, _ sentence: @autoclosure () -> String) throws(Objection)
        -> Value
    {
        guard let value else { throw Objection(description: "does not hold: \(sentence())") }
        return value
    }
}
