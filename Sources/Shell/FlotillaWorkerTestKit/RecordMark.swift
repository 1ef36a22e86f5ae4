import Records
import ServiceKit
import Simulation
import UpstreamHTTP

/// Headers before those of a request that tell the simulation's judges which record the request is for.
enum RecordMark {
    /// The last of these headers, before those of the handler.
    private static let end = "end-of-mark"

    /// Returns the request with the headers before its own.
    static func added(
        to request: HTTPRequest,
        of record: InboundRecord,
        lane: String,
        isFollowUp: Bool
    ) -> HTTPRequest {
        var marked = request
        marked.headers = self.headers(of: record, lane: lane, isFollowUp: isFollowUp) + request.headers
        return marked
    }

    /// Returns the part with the headers in its element.
    static func added(
        to part: BatchPart,
        of record: InboundRecord,
        lane: String,
        isFollowUp: Bool
    ) -> BatchPart {
        let headers = self.headers(of: record, lane: lane, isFollowUp: isFollowUp)
        var marked = part
        marked.element = SharedRequest.element(
            of: HTTPRequest(method: .post, url: "", headers: headers, body: part.element)
        )
        marked.template = RehearsedTemplate(base: part.template)
        return marked
    }

    private static func headers(of record: InboundRecord, lane: String, isFollowUp: Bool) -> [HTTPHeader] {
        var headers = [
            HTTPHeader("topic", record.topic),
            HTTPHeader("partition", String(record.partition)),
            HTTPHeader("offset", String(record.offset)),
            HTTPHeader("lane", lane),
        ]
        // Keys may hold anything, and a header may not.
        if let key = record.key { headers.append(HTTPHeader("key", key.description)) }
        if isFollowUp { headers.append(HTTPHeader(SimulatedUpstream.Call.followUpHeader, "1")) }
        headers.append(HTTPHeader(self.end, ""))
        return headers
    }

    /// Returns the request as the handler has made it.
    static func removed(from request: HTTPRequest) -> HTTPRequest {
        var unmarked = SharedRequest.unmarked(request)
        if let end = unmarked.headers.firstIndex(where: { $0.name == self.end }) {
            unmarked.headers.removeSubrange(...end)
        }
        return unmarked
    }
}
