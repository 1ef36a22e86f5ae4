internal import NIOCore

/// An HTTP answer in the making.
struct Reply: Sendable {
    var status: Int = 200
    var contentType: String
    var retryAfterSeconds: Int?
    var headers: [(String, String)] = []
    var body: ByteBuffer
    /// Announced and never sent.
    var withheldByteCount = 0
    var closesConnection = false

    /// The API's own answer.
    static func ret(_ ret: GDTRet) -> Reply {
        let json = "{\"ret\":\(ret.rawValue),\"msg\":\"\(ret.message)\"}"
        return Reply(contentType: "application/json", body: ByteBuffer(string: json))
    }

    /// The first half of an answer of the API's own.
    static func truncated(_ whole: Reply) -> Reply {
        var reply = whole
        let sent = reply.body.readableBytes / 2
        reply.withheldByteCount = reply.body.readableBytes - sent
        reply.body.moveWriterIndex(to: reply.body.readerIndex + sent)
        reply.closesConnection = true
        return reply
    }

    static func status(_ status: Int, retryAfterSeconds: Int?) -> Reply {
        var reply = Reply(status: status, contentType: "text/plain", body: ByteBuffer(string: "\(status)\n"))
        reply.retryAfterSeconds = retryAfterSeconds
        return reply
    }

    static var proxyPage: Reply {
        let page = "<html><head><title>Sign in</title></head><body>Please sign in.</body></html>"
        return Reply(contentType: "text/html", body: ByteBuffer(string: page))
    }
}
