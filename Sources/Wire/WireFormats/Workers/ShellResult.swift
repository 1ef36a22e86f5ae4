/// The value of a result record of a worker that is built outside this package: `flotilla.worker.v1.WorkerResult`.
package enum ShellResult {
    /// Returns the encoded result.
    ///
    /// - Parameter answer: The decision of the upstream; empty if there is none.
    package static func encode(
        _ outcome: Outcome,
        _ answer: [String: String],
        as format: ValueFormat
    ) -> [UInt8] {
        switch format {
        case .json: self.json(outcome, answer)
        case .protobuf: self.protobuf(outcome, answer)
        }
    }

    private static func json(_ outcome: Outcome, _ answer: [String: String]) -> [UInt8] {
        var json = JSONWriter(reserving: 512)
        json.object { json in
            json.object("outcome") { outcome.write(to: &$0) }
            guard !answer.isEmpty else { return }
            // Sorted, so that a repeated result has the same bytes.
            json.strings("answer", answer.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        }
        return json.text
    }

    private static func protobuf(_ outcome: Outcome, _ answer: [String: String]) -> [UInt8] {
        var message = ProtobufWriter(reserving: 256)
        message.message(1) { outcome.write(to: &$0) }
        for (name, value) in answer.sorted(by: { $0.key < $1.key }) {
            message.message(2) { entry in
                entry.string(1, name)
                entry.string(2, value)
            }
        }
        return message.bytes
    }
}
