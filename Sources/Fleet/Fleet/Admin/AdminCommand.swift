import ArgumentParser

/// `fleet admin`: gives orders to a running worker.
struct AdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin",
        abstract:
            "Give orders to a running worker: pause, resume, release, drain, limits, log level, a log of calls.",
        discussion: """
            The worker takes orders on the Unix socket that its setting admin.socket names; only its own user and root \
            can use it. A choice holds until it is taken back or the worker ends. With admin.choices_file it \
            outlives a restart. SIGHUP takes log.level, worker.concurrency and rate.per_second from the settings file again.
            """,
        subcommands: [
            AdminStatusCommand.self, AdminPauseCommand.self, AdminResumeCommand.self,
            AdminReleaseCommand.self,
            AdminConcurrencyCommand.self, AdminRateCommand.self, AdminCallLogCommand.self,
            AdminLogLevelCommand.self, AdminDrainCommand.self,
        ]
    )
}
