internal import NIOCore

/// The way in which the broker reacts to a request.
enum Outcome {
    case answer(ByteBuffer)
    /// The client has requested no response (`acks=0`).
    case silence
    /// The connection is closed without a response.
    case cut
}

/// One request, with the means to answer it.
///
/// Each call is finished exactly once, by `answer`, `leaveUnanswered` or `cutConnection`, at once or later.
final class Call {
    let header: RequestHeader
    /// The connection that the request came by.
    let client: Connection
    /// The rest of the request, which its handler reads.
    var body: Reader
    private let finish: (Outcome) -> Void

    init(
        _ header: RequestHeader,
        from client: Connection,
        body: Reader,
        finish: @escaping (Outcome) -> Void
    ) {
        self.header = header
        self.client = client
        self.body = body
        self.finish = finish
    }

    var version: Int16 { self.header.version }

    /// The client's address as Kafka writes it: a slash and the IP address.
    var clientHost: String { self.client.host }

    func answer(_ write: (inout Writer) -> Void) { self.finish(.answer(self.written(write))) }

    func leaveUnanswered() { self.finish(.silence) }

    func cutConnection() { self.finish(.cut) }

    private func written(_ write: (inout Writer) -> Void) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.writeMultipleIntegers(Int32(0), self.header.correlation)
        let isFlexible = self.header.isSupported && self.header.api.isFlexible(self.version)
        var writer = Writer(buffer, isFlexible: isFlexible)
        // A client reads the ApiVersions response before it knows the broker's versions. That response
        // therefore always has the old header, without tagged fields.
        if self.header.api != .apiVersions { writer.endStructure() }
        write(&writer)
        buffer = writer.buffer
        buffer.setInteger(Int32(clamping: buffer.readableBytes - 4), at: 0)
        return buffer
    }
}
