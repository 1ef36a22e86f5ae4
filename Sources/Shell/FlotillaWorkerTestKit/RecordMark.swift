import Records
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
        var headers = [
            HTTPHeader("topic", record.topic),
            HTTPHeader("partition", String(record.partition)),
            HTTPHeader("offset", String(record.offset)),
            HTTPHeader("lane", lane),
        ]
        if let key = record.key { headers.append(HTTPHeader("key", String(decoding: key, as: UTF8.self))) }
        if isFollowUp { headers.append(HTTPHeader(SimulatedUpstream.Call.followUpHeader, "1")) }
        headers.append(HTTPHeader(self.end, ""))
        var marked = request
        marked.headers = headers + request.headers
        return marked
    }

    /// Returns the request as the handler has made it.
    static func removed(from request: HTTPRequest) -> HTTPRequest {
        var unmarked = request
        if let end = request.headers.firstIndex(where: { $0.name == self.end }) {
            unmarked.headers.removeSubrange(...end)
        }
        return unmarked
    }
}
