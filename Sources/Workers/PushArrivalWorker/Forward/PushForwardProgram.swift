package import Operations
package import ServiceKit
package import UpstreamHTTP
import WireFormats
package import WorkerKit

extension WorkerIdentity {
    /// The names of the forwarder.
    package static let pushArrivalForward = WorkerIdentity(
        name: "push-arrival-forward",
        topic: "push-arrival.forward",
        upstream: "statistics",
        answerBytesLimit: 64 << 10
    )
}

/// The settings of the forwarder.
package enum PushForwardProgram: WorkerProgram {
    package static let identity = WorkerIdentity.pushArrivalForward

    package static func handler(_ reader: SettingsReader, _ engine: EngineSettings) -> PushForwardHandler {
        let reader = reader.section("forward")
        let text = reader.url(
            "url",
            help: "Where batches are posted to. http only on this machine, or without a token."
        )
        let token = reader.optionalWatchedSecret(
            "token",
            help: "Sent as Authorization: Bearer. A file is read again when it changes."
        )
        var url: BaseURL?
        do throws(BaseURL.Fault) {
            url = try BaseURL(text)
        } catch {
            if !text.isEmpty { reader.reportFault("url", error.description) }
        }
        if let url, token != nil, !url.isSafeForSecrets {
            reader.reportFault("url", "must be https: the token would travel in the clear")
        }
        return PushForwardHandler(url: url, token: token)
    }

    /// Masks the token, which is secret, and the body, whose device ids are personal data.
    package static func masked(_ request: HTTPRequest) -> HTTPRequest {
        var masked = request
        for index in masked.headers.indices where masked.headers[index].name == "Authorization" {
            masked.headers[index].value = "Bearer masked"
        }
        if let body = masked.body { masked.body = Array("masked, \(body.count) bytes".utf8) }
        return masked
    }
}
