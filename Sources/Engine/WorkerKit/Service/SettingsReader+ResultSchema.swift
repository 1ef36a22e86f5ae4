package import Operations
package import WireFormats

extension SettingsReader {
    /// Reads the number of the result's schema in a schema registry; nil for results without a frame.
    ///
    /// A registry has one number for the `.proto` file and another for the JSON Schema, and the numbers do not
    /// tell which is which. Each has a setting of its own, so that a change of the format alone cannot put the
    /// wrong number before a value.
    ///
    /// - Parameters:
    ///   - format: The format of the results; the number has to be that of such a schema.
    ///   - envelope: The form of the results. A frame before a structured CloudEvent is reported as a fault.
    package func resultSchemaID(_ format: ValueFormat, in envelope: ResultEnvelope) -> Int32? {
        let ids = ValueFormat.allCases.map { self.resultSchemaID(of: $0, where: format, in: envelope) }
        return ids.lazy.compactMap(\.self).first
    }

    /// Reads the number of the schema of one format; nil if it is not set or does not fit.
    private func resultSchemaID(
        of kind: ValueFormat,
        where format: ValueFormat,
        in envelope: ResultEnvelope
    ) -> Int32? {
        let name = kind == .json ? "JSON Schema" : ".proto file"
        let setting = "result_\(kind.rawValue)_schema_id"
        let id = self.optionalInt(
            setting,
            in: 1...Int(Int32.max),
            help:
                "Id of the results' \(name) in a schema registry; puts Confluent's frame before each value in \(kind)."
        )
        guard let id else { return nil }
        guard kind == format else {
            self.reportFault(
                setting,
                "is the id of a \(name), and results are written as \(format): set result_\(format)_schema_id, or "
                    + "result_format: \(kind)"
            )
            return nil
        }
        guard envelope != .structured else {
            self.reportFault(
                setting,
                "cannot be combined with result_envelope: \(envelope.rawValue), because the value is then an event, which "
                    + "the schema does not describe; take result_envelope: \(ResultEnvelope.binary.rawValue)"
            )
            return nil
        }
        return Int32(id)
    }
}
