import EventThread

@testable import UpstreamHTTP

extension FuzzTarget {
    /// Any bytes that an upstream sends on a connection before it closes it, as libcurl and our client take
    /// them.
    static let httpAnswer = FuzzTarget(
        "http-answer",
        longestInput: 2_048,
        words: [
            "HTTP/1.1 200 OK\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.0 ", "HTTP/1.1 429 x\r\n",
            "\r\n\r\n",
            "Content-Length: ", "Transfer-Encoding: chunked\r\n", "Retry-After: ", "Connection: close\r\n",
            "Trailer: Date\r\n", "0\r\n\r\n", "Location: ", "Content-Encoding: gzip\r\n",
        ]
    ) { input in
        let outcomes = try AnswerServer.answering(input, AnswerClaims.outcomes)
        try claim("a request is completed once", outcomes.count == 1)
        for outcome in outcomes { try AnswerClaims.check(outcome, input) }
    }
}

private enum AnswerClaims {
    static let settings = HTTPClientSettings(
        connectTimeout: .seconds(2),
        requestTimeout: .seconds(2),
        connectionLimit: 1,
        responseBytesLimit: 256
    )

    static func outcomes(_ server: AnswerServer) throws -> [Result<HTTPResponse, TransferError>] {
        let client = try HTTPClient(self.settings)
        defer { client.close() }
        client.start(HTTPRequest(method: .get, url: "http://127.0.0.1:\(server.port)/"), id: 7)
        var outcomes: [Result<HTTPResponse, TransferError>] = []
        while client.inFlight > 0 {
            var wait = Wait(on: [client.descriptor, server.descriptor])
            wait(atMost: .milliseconds(client.timeoutMilliseconds))
            server.serve()
            client.serve { _, outcome in outcomes.append(outcome) }
        }
        return outcomes
    }

    static func check(_ outcome: Result<HTTPResponse, TransferError>, _ sent: [UInt8]) throws {
        switch outcome {
        case .success(let response):
            try claim("an answer has a status", (200...999).contains(response.status))
            try claim("an answer has a bound", response.body.count <= self.settings.responseBytesLimit)
            let names = response.headers.map(\.name)
            try claim("only what was asked for is kept", names.allSatisfy(self.settings.keptHeaders.contains))
            try claim("a header is kept once", Set(names).count == names.count)
            try claim(
                "a header's value is of one line",
                response.headers.allSatisfy {
                    !$0.value.utf8.contains { $0 == 0x0A || $0 == 0x0D || $0 == 0 }
                }
            )
            try claim("what was not sent is not read", response.body.count <= sent.count)
        case .failure(let error):
            try claim("a cut answer is not waited for", error.kind != .timeout)
            try claim("an answer is never one of ours", error.kind != .connect && error.kind != .resolve)
        }
    }
}
