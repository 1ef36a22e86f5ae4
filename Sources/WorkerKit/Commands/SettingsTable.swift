import Operations

/// Every setting of a worker as a Markdown table: what the README shows is what the program reads.
package enum SettingsTable<P: WorkerProgram> {
    package static var markdown: String {
        // Nothing is set, so that nothing but the defaults can show.
        let reader = SettingsReader(file: nil, overrides: [])
        let settings = WorkerSettings(reader, P.identity)
        _ = P.handler(reader, settings.engine)
        return SettingDocumentation.markdown(reader.documentation)
    }
}
