/// The format of a log line: one JSON object, or text with `name=value` fields.
package enum LogFormat: String, CaseIterable, Sendable {
    case json, text
}
