package import Operations
package import UpstreamHTTP

/// What makes a program out of a handler: its names, its own settings, and what must be masked when it is shown.
package protocol WorkerProgram: Sendable {
    associatedtype H: Handler

    static var identity: WorkerIdentity { get }

    /// Makes the handler from the worker's own settings. What is wrong with them is left with the reader; the
    /// handler is then never used. The engine's settings are for what the two have to agree on.
    static func handler(_ reader: SettingsReader, _ engine: EngineSettings) -> H

    /// The same request with everything secret, or from which a secret or a person could be told, masked.
    static func masked(_ request: HTTPRequest) -> HTTPRequest
}

/// The settings of one worker, complete.
package struct LoadedProgram<P: WorkerProgram>: Sendable {
    package let settings: WorkerSettings
    package let handler: P.H
    /// Things that are not wrong but worth a word.
    package let warnings: [String]

    /// - Throws: `SettingsFaults` with everything that is wrong, one line each.
    package init(path: String?) throws {
        let reader = SettingsReader(file: try path.map { try SettingsFile(path: $0) })
        self.settings = WorkerSettings(reader, P.identity)
        self.handler = P.handler(reader, self.settings.engine)
        self.warnings = try reader.finish().map(\.description)
    }
}
