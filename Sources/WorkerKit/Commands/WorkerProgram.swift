package import Operations
package import UpstreamHTTP

/// What makes a program out of a handler: its names, its own settings, and what must be masked when it is shown.
package protocol WorkerProgram: ConfiguredProgram, Sendable {
    associatedtype H: Handler

    static var identity: WorkerIdentity { get }

    /// Makes the handler from the worker's own settings. What is wrong with them is left with the reader; the
    /// handler is then never used. The engine's settings are for what the two have to agree on.
    static func handler(_ reader: SettingsReader, _ engine: EngineSettings) -> H

    /// The same request with everything secret, or from which a secret or a person could be told, masked.
    static func masked(_ request: HTTPRequest) -> HTTPRequest

    /// A planned job as it would be further on in its attempt, for a case that is played through by hand; nil if the
    /// worker knows no such place. By default it knows none but the beginning.
    static func placed(_ job: H.Job, at place: CasePlace) -> H.Job?
}

extension WorkerProgram {
    package static func placed(_ job: H.Job, at place: CasePlace) -> H.Job? {
        place == CasePlace() ? job : nil
    }
}

/// How far an attempt has come in a case that is played through by hand.
package struct CasePlace: Hashable, Sendable {
    /// Which host answers, if it is not the first that is asked.
    package var host: String?
    /// Hosts that have been asked before.
    package var visited: [String] = []
    /// Those of them that took no token.
    package var refused: [String] = []
    /// The call showed a token that was made anew after a refusal.
    package var isRenewed = false

    package init() {}
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
