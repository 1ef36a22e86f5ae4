import WorkerTestSupport

extension WorkerCommand {
    /// Runs a command of this worker with the settings in `{settings}` of its arguments.
    init(
        _ arguments: [String],
        settings: SettingsText = SettingsText(),
        input: [UInt8] = [],
        environment: [String: String] = [:]
    ) throws {
        try self.init(
            "devicecheck-worker",
            arguments,
            settings: settings.text,
            input: input,
            environment: environment
        )
    }
}
