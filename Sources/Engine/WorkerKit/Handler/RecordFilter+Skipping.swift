import Records
import WireFormats

extension [RecordFilter] {
    /// Returns the reason to leave a record out, if one of these conditions names it.
    ///
    /// - Parameter object: Reads the record's value; called once at most, and only if a condition needs it.
    func reasonToSkip(_ record: InboundRecord, reading object: (InboundRecord) -> JSONObject?) -> Reason? {
        guard !self.isEmpty else { return nil }
        let object = self.contains(where: \.needsValue) ? object(record) : nil
        return self.first { $0.isMet(by: record, object) }.map { filter in
            Reason("worker.skip", "The setting worker.skip leaves out records with the \(filter.subject).")
        }
    }
}
