import Operations
import WireFormats

extension SettingsReader {
    /// Reads a list of conditions on records; without the setting it is empty.
    func filters(_ key: String, help: String) -> [RecordFilter] {
        self.strings(key, default: [], help: help).compactMap { text in
            let filter = RecordFilter(text)
            if filter == nil {
                self.reportFault(key, "must be header:NAME or field:NAME, with =VALUE or without")
            }
            return filter
        }
    }
}
