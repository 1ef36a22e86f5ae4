/// The names of the attributes of spans, as the semantic conventions of OpenTelemetry 1.44 have them. The names for
/// messaging are in development there, and 1.45 renames some. So all names are in this one list.
enum SpanAttribute: String, Sendable {
    case messagingSystem = "messaging.system"
    case operationName = "messaging.operation.name"
    case operationType = "messaging.operation.type"
    case destination = "messaging.destination.name"
    case partition = "messaging.destination.partition.id"
    case group = "messaging.consumer.group.name"
    case messageID = "messaging.message.id"
    case bodySize = "messaging.message.body.size"
    case offset = "messaging.kafka.offset"
    case isTombstone = "messaging.kafka.message.tombstone"
    case method = "http.request.method"
    case resendCount = "http.request.resend_count"
    case status = "http.response.status_code"
    case serverAddress = "server.address"
    case serverPort = "server.port"
    case scheme = "url.scheme"
    case errorType = "error.type"
    case upstream = "peer.service"
    /// Ours: the age of the record when it was taken in, in milliseconds, by its timestamp.
    case age = "flotilla.record.age_ms"
    /// Ours: the lane of a call.
    case lane = "flotilla.lane"
    /// Ours: the way a record ended here.
    case fate = "flotilla.fate"

    /// The value of an attribute.
    enum Value: Hashable, Sendable {
        case text(String)
        case number(Int64)
        case flag(Bool)
    }
}
