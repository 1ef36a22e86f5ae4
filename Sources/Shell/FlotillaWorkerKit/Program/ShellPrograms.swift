package import ActivationWorker
import FlotillaRecords
package import Operations
package import ServiceKit
package import UpstreamHTTP
import WireFormats
package import WorkerKit

/// A worker of a shell as a program of the engine.
package enum WorkerShellProgram<W: Worker>: WorkerProgram {
    package static var identity: WorkerIdentity { W.identity.worker }

    package static func handler(
        _ reader: SettingsReader,
        _ engine: EngineSettings
    ) -> InterceptedHandler<WorkerHandler<W>> {
        self.handler(W(Settings(reader.section(W.identity.upstream))))
    }

    /// Makes the handler of a worker that is there already.
    package static func handler(_ worker: W) -> InterceptedHandler<WorkerHandler<W>> {
        InterceptedHandler(
            WorkerHandler(worker),
            interceptors: worker.interceptors,
            channels: worker.channels,
            content: { $0 }
        )
    }

    package static func masked(_ request: HTTPRequest) -> HTTPRequest { W.masked(Request(request)).http }
}

/// The activation worker with the parts of a shell.
package enum ActivationShellProgram<S: ActivationShell>: WorkerProgram {
    package static var identity: WorkerIdentity { ActivationProgram.identity }

    package static func handler(
        _ reader: SettingsReader,
        _ engine: EngineSettings
    ) -> InterceptedHandler<ActivationHandler> {
        self.handler(S(Settings(reader.section("shell"))), reader, engine: engine)
    }

    /// Makes the handler of a shell whose parts are there already.
    package static func handler(
        _ shell: S,
        _ reader: SettingsReader,
        engine: EngineSettings
    ) -> InterceptedHandler<ActivationHandler> {
        InterceptedHandler(
            ActivationProgram.handler(reader, engine, ciphers: UploadCiphers(shell.ciphers)),
            interceptors: shell.interceptors,
            channels: shell.channels,
            content: { Activation($0) }
        )
    }

    package static func decoded(
        _ line: [UInt8],
        by handler: InterceptedHandler<ActivationHandler>
    ) -> DecodedLine? {
        ActivationProgram.decoded(line, by: handler.base)
    }

    package static func masked(_ request: HTTPRequest) -> HTTPRequest { ActivationProgram.masked(request) }

    package static func neighbours(of topic: String) -> [Preflight.Neighbour] {
        ActivationProgram.neighbours(of: topic)
    }
}
