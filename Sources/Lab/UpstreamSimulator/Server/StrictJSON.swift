internal import Foundation

/// JSON as the control endpoints use it: sorted keys in responses, and no unknown keys in requests.
///
/// An unknown key is an error, because a misspelt fault would otherwise be ignored, and a demonstration would
/// run without the fault it needs.
enum StrictJSON {
    /// A body that cannot be accepted, with the explanation for the client.
    struct Problem: Error {
        var explanation: String
    }

    /// Encodes a value with sorted keys.
    static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }

    /// Decodes a value, and refuses keys that the type does not have.
    static func decode<Value: Codable>(_ type: Value.Type, from bytes: [UInt8]) throws(Problem) -> Value {
        do {
            let value = try JSONDecoder().decode(Value.self, from: Data(bytes))
            let given = try JSONSerialization.jsonObject(with: Data(bytes), options: [.fragmentsAllowed])
            let read = try JSONSerialization.jsonObject(with: Data(Self.encode(value)))
            if let key = Self.unreadKey(in: given, comparedWith: read) {
                throw Problem(explanation: "unknown key \(key)")
            }
            return value
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(explanation: String(describing: error))
        }
    }

    /// The first key in `given` that is missing in `read`, which is the decoded value encoded again: such a
    /// key was not understood.
    private static func unreadKey(in given: Any, comparedWith read: Any) -> String? {
        switch (given, read) {
        case (let given as [String: Any], let read as [String: Any]):
            for (key, value) in given where !(value is NSNull) {
                guard let known = read[key] else { return key }
                if let unread = Self.unreadKey(in: value, comparedWith: known) { return unread }
            }
            return nil
        case (let given as [Any], let read as [Any]):
            return zip(given, read).lazy.compactMap { Self.unreadKey(in: $0, comparedWith: $1) }.first
        default:
            return nil
        }
    }
}
