import Operations

/// Every setting of a worker as a Markdown table. A test compares the documents with it.
package enum SettingsTable<P: WorkerProgram> {
    /// The table, with the defaults of all settings.
    package static var markdown: String {
        // No setting is given to the reader, so that the table shows nothing but defaults.
        let reader = SettingsReader(file: nil, overrides: [])
        let settings = WorkerSettings(reader, P.identity)
        _ = P.handler(reader, settings.engine)
        return SettingDocumentation.markdown(reader.documentation)
    }
}
