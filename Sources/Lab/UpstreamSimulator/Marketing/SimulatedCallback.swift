/// The callback of a click as Tencent's click feed tells it, made by the simulators' own code.
package enum SimulatedCallback {
    /// Returns the callback with this `cb`. It is percent-encoded as a whole, so a byte that `cb` escapes itself is
    /// encoded twice. A worker that decodes the callback twice, or not at all, cannot send the same `cb`.
    package static func text(_ cb: String, at url: String) -> String {
        var target = Array("\(url)/conv?cb=".utf8)
        PercentEncoding.append(cb.utf8, to: &target)
        var text: [UInt8] = []
        PercentEncoding.append(target, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
