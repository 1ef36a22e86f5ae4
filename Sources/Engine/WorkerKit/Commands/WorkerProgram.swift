package import Operations
package import ServiceKit
package import UpstreamHTTP
package import WireFormats

/// The parts that make a program out of a handler: its names, its own settings, and what must be masked when
/// it is shown.
package protocol WorkerProgram: ConfiguredProgram, Sendable {
    associatedtype H: Handler

    /// The names of the worker, and the defaults in which it differs from others.
    static var identity: WorkerIdentity { get }

    /// Makes the handler from the worker's own settings. Faults of the settings are left with the reader, and
    /// the handler is then never used.
    ///
    /// - Parameter engine: The engine's settings, for what the two have to agree on.
    static func handler(_ reader: SettingsReader, _ engine: EngineSettings) -> H

    /// Returns the request with everything masked that is secret, or from which a secret or a person could be
    /// told.
    static func masked(_ request: HTTPRequest) -> HTTPRequest

    /// Returns a planned job as it would be further on in its attempt, for a case that is tried by hand; nil
    /// if the worker knows no such place. By default a worker knows only the beginning.
    static func placed(_ job: H.Job, at place: CasePlace) -> H.Job?

    /// Decodes a line that is no record's value but something else that the worker takes, such as a request;
    /// nil for a record's value. By default every line is one.
    static func decoded(_ line: [UInt8], by handler: H) -> DecodedLine?

    /// Returns the topics of other programs that tell a mistake between them and a worker on a topic. By default
    /// there are none.
    static func neighbours(of topic: String) -> [Preflight.Neighbour]
}

/// The content of a line that is no record's value.
package enum DecodedLine: Hashable, Sendable {
    /// The content as one JSON object.
    case content([UInt8])
    /// The reason why the worker refuses the content.
    case refused(Reason)
}

extension WorkerProgram {
    package static func placed(_ job: H.Job, at place: CasePlace) -> H.Job? {
        place == CasePlace() ? job : nil
    }

    package static func decoded(_ line: [UInt8], by handler: H) -> DecodedLine? { nil }

    package static func neighbours(of topic: String) -> [Preflight.Neighbour] { [] }
}

/// The place that an attempt has reached, in a case that is tried by hand.
package struct CasePlace: Hashable, Sendable {
    /// The host that answers; nil for the host that is asked first.
    package var host: String?
    /// The hosts that have been asked before.
    package var visited: [String] = []
    /// The hosts among `visited` that took no token.
    package var refused: [String] = []
    /// Whether the call showed a token that was made anew after a refusal.
    package var isRenewed = false

    package init() {}
}

/// The complete settings of one worker, with its handler.
package struct LoadedProgram<P: WorkerProgram>: Sendable {
    package let settings: WorkerSettings
    package let handler: P.H
    /// Remarks on settings that are not wrong, a line each.
    package let warnings: [String]

    /// Reads the settings from a file, if there is one, and from the environment.
    ///
    /// - Throws: `SettingsFaults` with everything that is wrong, one line each.
    package init(path: String?) throws {
        let reader = SettingsReader(file: try path.map { try SettingsFile(path: $0) })
        var settings = WorkerSettings(reader, P.identity)
        self.handler = P.handler(reader, settings.engine)
        settings.engine.channelTopics = self.handler.channelTopics
        settings.engine.neighbours = P.neighbours(of: settings.engine.inputTopic)
        self.settings = settings
        self.warnings = try reader.finish().map(\.description)
    }
}
