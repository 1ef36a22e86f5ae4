import ServiceKit
import Simulation
import UpstreamHTTP

/// A template of a batch as the simulation can judge it: its requests say which records share them.
///
/// The limit on bytes counts the marks too, so a request may be smaller than the handler's own.
struct RehearsedTemplate: BatchTemplate {
    let base: any BatchTemplate

    var key: String { self.base.key }
    var elementsLimit: Int { self.base.elementsLimit }
    var bytesLimit: Int { self.base.bytesLimit }
    var requestsLimit: Int { self.base.requestsLimit }
    var isReady: Bool { self.base.isReady }

    func request(of elements: [[UInt8]], at now: Int64, nonce: String) -> HTTPRequest {
        let request = self.base.request(of: elements.map(SharedRequest.own), at: now, nonce: nonce)
        return SharedRequest.marked(request, with: elements)
    }

    func scope(of response: HTTPResponse) -> BatchScope { self.base.scope(of: response) }
}
