/// How a line looks.
package enum LogFormat: String, CaseIterable, Sendable {
    case json, text
}
