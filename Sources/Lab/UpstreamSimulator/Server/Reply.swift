internal import NIOCore

/// An HTTP response before it is sent.
struct Reply: Sendable {
    var status: Int = 200
    var contentType: String
    var retryAfterSeconds: Int?
    var headers: [(String, String)] = []
    var body: ByteBuffer
    /// The number of bytes that Content-Length announces and that are never sent.
    var withheldByteCount = 0
    var closesConnection = false

    /// A response of the GDT API.
    static func ret(_ ret: GDTRet) -> Reply {
        let json = "{\"ret\":\(ret.rawValue),\"msg\":\"\(ret.message)\"}"
        return Reply(contentType: "application/json", body: ByteBuffer(string: json))
    }

    /// A response of the GDT API with a message of 128 KiB.
    static func enlarged(_ ret: GDTRet) -> Reply {
        let message = String(repeating: "\(ret.message) ", count: (128 << 10) / (ret.message.utf8.count + 1))
        let json = "{\"ret\":\(ret.rawValue),\"msg\":\"\(message)\"}"
        return Reply(contentType: "application/json", body: ByteBuffer(string: json))
    }

    /// The first half of a response. The connection is closed after it.
    static func truncated(_ whole: Reply) -> Reply {
        var reply = whole
        let sent = reply.body.readableBytes / 2
        reply.withheldByteCount = reply.body.readableBytes - sent
        reply.body.moveWriterIndex(to: reply.body.readerIndex + sent)
        reply.closesConnection = true
        return reply
    }

    /// A plain-text response with this status, and with a Retry-After header if seconds are given.
    static func status(_ status: Int, retryAfterSeconds: Int?) -> Reply {
        var reply = Reply(status: status, contentType: "text/plain", body: ByteBuffer(string: "\(status)\n"))
        reply.retryAfterSeconds = retryAfterSeconds
        return reply
    }

    /// The sign-in page of a proxy, with status 200.
    static var proxyPage: Reply {
        let page = "<html><head><title>Sign in</title></head><body>Please sign in.</body></html>"
        return Reply(contentType: "text/html", body: ByteBuffer(string: page))
    }
}
