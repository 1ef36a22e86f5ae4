import WorkerTestSupport

extension WorkerCommand {
    /// Runs a command of this worker with the settings in `{settings}` of its arguments, and other files beside them.
    init(
        _ arguments: [String],
        settings: SettingsText = SettingsText(),
        files: [String: [UInt8]] = [:],
        input: [UInt8] = [],
        environment: [String: String] = [:]
    ) throws {
        try self.init(
            "receipt-worker",
            arguments,
            settings: settings.text,
            files: files,
            input: input,
            environment: environment
        )
    }
}
