internal import NIOCore

/// What comes of a request.
enum Outcome {
    case answer(ByteBuffer)
    /// The client has asked for no answer.
    case silence
    /// The connection is closed.
    case cut
}

/// One request, and the way back to who sent it. It is answered exactly once, at once or later.
final class Call {
    let header: RequestHeader
    /// As Kafka writes it: a slash and the address.
    let clientHost: String
    var body: Reader
    private let finish: (Outcome) -> Void

    init(
        _ header: RequestHeader,
        from clientHost: String,
        _ body: Reader,
        _ finish: @escaping (Outcome) -> Void
    ) {
        self.header = header
        self.clientHost = clientHost
        self.body = body
        self.finish = finish
    }

    var version: Int16 { self.header.version }

    func answer(_ write: (inout Writer) -> Void) { self.finish(.answer(self.written(write))) }

    func leaveUnanswered() { self.finish(.silence) }

    func cutConnection() { self.finish(.cut) }

    private func written(_ write: (inout Writer) -> Void) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.writeMultipleIntegers(Int32(0), self.header.correlation)
        let isFlexible = self.header.isSupported && self.header.api.isFlexible(self.version)
        var writer = Writer(buffer, isFlexible: isFlexible)
        // Clients read the answer to ApiVersions before they know which header it has: it stays the old one.
        if self.header.api != .apiVersions { writer.endStructure() }
        write(&writer)
        buffer = writer.buffer
        buffer.setInteger(Int32(clamping: buffer.readableBytes - 4), at: 0)
        return buffer
    }
}
