internal import Foundation

/// JSON as the control endpoints speak it: keys in one order going out, no unknown key coming in.
///
/// A misspelt switch that was taken for absent would leave a demonstration without the fault it is about.
enum StrictJSON {
    struct Problem: Error {
        var explanation: String
    }

    static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }

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

    /// What was read is written again: a key that does not come back was not understood.
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
