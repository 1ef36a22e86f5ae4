package import Operations

extension StreamSettings {
    /// Reads the settings of a program's stream engines. Faults are reported to the reader.
    ///
    /// - Parameters:
    ///   - memoryHelp: The help text of the memory limit, which says what the program's state takes.
    ///   - crashFolder: The folder of the marks if the setting is absent.
    package init(_ reader: SettingsReader, memoryHelp: String, crashFolder: String) {
        self.init(
            threads: reader.int(
                "threads",
                default: 1,
                in: 1...64,
                help: "Threads that work, each a member of the consumer group with partitions of its own."
            ),
            commitInterval: reader.duration(
                "commit_interval",
                default: .milliseconds(200),
                in: .milliseconds(10) ... .seconds(10),
                help: "The longest time between two transactions while there is work: how old results can be."
            ),
            transactionRecords: reader.int(
                "transaction_records",
                default: 50_000,
                in: 100...1_000_000,
                help: "Records that one transaction takes up at most."
            ),
            memoryLimit: reader.bytes(
                "memory_limit",
                default: 1 << 30,
                in: (1 << 20)...(1 << 40),
                help: memoryHelp
            ),
            crashFolder: reader.optionalString(
                "crash_folder",
                help:
                    "Remembers which records a worker died of. A new container finds it only on a volume; "
                    + "run --restarts starts again in the same one. By default in the system's temporary folder."
            ) ?? crashFolder
        )
    }
}
