@testable import WireFormats

extension FuzzTarget {
    /// A status, the host that was asked, the one asked before or nothing, and the body: an answer of verifyReceipt.
    static let verifyReceiptAnswer = FuzzTarget(
        "verify-receipt-answer",
        longestInput: 2_048,
        words: [
            "200\nproduction\n\n", "200\nsandbox\nproduction\n", "{\"status\":0,\"receipt\":{",
            "\"in_app\":[{",
            "\"latest_receipt_info\":[{", "\"pending_renewal_info\":[{", "\"transaction_id\":\"1\"",
            "\"original_transaction_id\":\"1\"", "\"product_id\":\"pro\"", "\"purchase_date_ms\":\"1\"",
            "\"expires_date\":\"2013-01-01 00:00:00 Etc/GMT\"", "\"status\":21007", "\"is-retryable\":true",
            "\"auto_renew_status\":\"1\"", "\"quantity\":1", "\"cancellation_date_ms\":2",
        ],
        seeds: { StoreAnswerClaims.verifyReceiptSeeds }
    ) { input in
        var reader = InputReader(input)
        let status: Int = reader.number(or: 200)
        let host = StoreHost(rawValue: reader.text()) ?? .production
        let visited = Set([StoreHost(rawValue: reader.text())].compactMap { $0 })
        let body = reader.remainder()
        let reply = VerifyReceiptReply(status: status, body: body, from: host, visited: visited)
        try StoreAnswerClaims.check(reply, to: status, body, from: host, visited)
    }

    /// A question, a status, a content type, a `Retry-After`, and the body: an answer of the App Store Server API.
    static let appStoreAnswer = FuzzTarget(
        "app-store-answer",
        longestInput: 2_048,
        words: [
            "history\n200\napplication/json\n\n", "transaction\n404\n", "subscriptions\n200\n",
            "history-r\n200\n", "{\"errorCode\":4040010}", "\"signedTransactionInfo\":\"a.b.c\"",
            "\"signedTransactions\":[\"a\"]", "\"hasMore\":true", "\"revision\":\"r\"",
            "\"data\":[{\"lastTransactions\":[{", "\"signedRenewalInfo\":\"a.b.c\"", "1795248060000\n",
        ],
        seeds: { StoreAnswerClaims.appStoreSeeds }
    ) { input in
        var reader = InputReader(input)
        let call = try StoreAnswerClaims.call(reader.text())
        let status: Int = reader.number(or: 200)
        let contentType = reader.text()
        let retryAfter = reader.text()
        let reply = AppStoreReply(
            to: call,
            status: status,
            contentType: contentType.isEmpty ? nil : contentType,
            retryAfter: retryAfter.isEmpty ? nil : retryAfter,
            body: reader.remainder(),
            from: .production,
            now: InputReader.now
        )
        try StoreAnswerClaims.check(reply, to: call, status)
    }

    /// The time now, and Apple's `Retry-After`, which names a time in milliseconds since 1970.
    static let storeRetryAfter = FuzzTarget(
        "store-retry-after",
        longestInput: 96,
        words: [
            "1795248000000\n", "1795248060000", "99999999999", "100000000000", "9223372036854775807", "120",
            "Sat, 21 Nov 2026 08:00:05 GMT",
        ]
    ) { input in
        var reader = InputReader(input)
        let now: Int64 = reader.number(or: InputReader.now)
        let header = reader.remainingText()
        let delay = try StoreAnswerClaims.delay(header, now: now)
        try claim("white space means nothing", try StoreAnswerClaims.delay(" \(header)\t", now: now) == delay)
        let time = Array(header.utf8).trimmingWhiteSpace().decimal(as: Int64.self)
        if let time, time >= 100_000_000_000 {
            let (wait, isBeyond) = time.subtractingReportingOverflow(now)
            let bounded = isBeyond ? 86_400_000 : min(max(0, wait), 86_400_000)
            try claim("a time is waited for, and a day at most", delay == .milliseconds(bounded))
        } else {
            let plain = RetryAfter.delay(header, now: now)
            try claim("anything else is HTTP's", delay == plain ?? AppStoreReply.unstatedDelay)
        }
    }
}

private enum StoreAnswerClaims {
    static var verifyReceiptSeeds: [[UInt8]] {
        VectorRows.of("verifyreceipt_decisions").compactMap { row in
            guard let status = row.integer("http_status") else { return nil }
            let visited = row["visited"] == .list([.text("sandbox")]) ? "sandbox" : ""
            return Array("\(status)\n\(row.text("env") ?? "")\n\(visited)\n\(row.text("body") ?? "")".utf8)
        }
    }

    /// The rows, and of every question an answer as Apple gives it.
    static var appStoreSeeds: [[UInt8]] {
        let rows = VectorRows.of("asapi_decisions").compactMap { row -> String? in
            guard let status = row.integer("http_status") else { return nil }
            let headers = row["headers"]?.members ?? [:]
            let type = headers.text("content-type") ?? ""
            return
                "transaction\n\(status)\n\(type)\n\(headers.text("retry-after") ?? "")\n\(row.text("body") ?? "")"
        }
        let whole = [
            #"{"signedTransactionInfo":"a.b.c"}"#,
            #"{"revision":"r1","bundleId":"a","environment":"Sandbox","hasMore":true,"signedTransactions":["a.b.c"]}"#,
            #"{"revision":"r1","hasMore":false,"signedTransactions":[]}"#,
            #"{"environment":"Production","data":[{"subscriptionGroupIdentifier":"1","lastTransactions":[{"status":1,"#
                + #""originalTransactionId":"1","signedTransactionInfo":"a.b.c","signedRenewalInfo":"a.b.c"}]}]}"#,
        ]
        let questions = ["transaction", "history", "history-r", "subscriptions"]
        let answers = zip(questions, whole).map { "\($0)\n200\napplication/json\n\n\($1)" }
        return (rows + answers).map { Array($0.utf8) }
    }

    static func call(_ name: String) throws -> AppStoreCall {
        let id = try Objection.unless(StoreTransactionID("2000000123456789"), "it is an id")
        return switch name {
        case "history": .history(id, revision: nil)
        case "history-r": .history(id, revision: "r")
        case "subscriptions": .subscriptions(id)
        default: .transaction(id)
        }
    }

    static func check(
        _ reply: VerifyReceiptReply,
        to status: Int,
        _ body: [UInt8],
        from host: StoreHost,
        _ visited: Set<StoreHost>
    ) throws {
        try self.check(reply.reason, prefix: "verifyreceipt.")
        let isAccepted = reply.decision == .accept || reply.decision == .acceptExpired
        try claim("purchases come with an approval", reply.purchases == nil || isAccepted)
        try claim("an approval says of what", reply.decision != .accept || reply.purchases != nil)
        try claim("nothing but a 200 is believed", !isAccepted || status == 200)
        try self.check(reply.decision, from: host, visited)
        if isAccepted, let theirs = FoundationJSON(body)?.members?["status"] {
            switch theirs {
            case .number(let number):
                try claim("Apple approved", [0, 21_006].contains(number.double.rounded(.down)))
            case .text(let text): try claim("Apple approved", text.contains("0") || text.contains("6"))
            default: try claim("a status is a number or a text", false)
            }
        }
        if let purchases = reply.purchases { try StoreClaims.check(purchases) }
    }

    static func check(_ reply: AppStoreReply, to call: AppStoreCall, _ status: Int) throws {
        try self.check(reply.reason, prefix: "appstore.")
        try claim(
            "an approval has an answer, and nothing else has",
            (reply.answer != nil) == (reply.decision == .accept)
        )
        try claim("nothing but a 200 is believed", reply.answer == nil || status == 200)
        try self.check(reply.decision, from: .production, [])
        if let delay = reply.delay {
            try claim("a wait has a bound", (.zero...RetryAfter.longestDelay).contains(delay))
        }
        switch reply.answer {
        case .history(let page):
            try claim("a page leads on", page.nextRevision == nil || page.nextRevision != call.revision)
            try claim("it leads to a path", page.nextRevision.map { $0.utf8.count <= 1_024 } ?? true)
        case .subscriptions(let all): try claim("there are not too many", all.count <= 1_000)
        case .transaction, nil: break
        }
    }

    private static func check(_ decision: StoreDecision, from host: StoreHost, _ visited: Set<StoreHost>)
        throws
    {
        switch decision {
        case .trySandbox:
            try claim("each host has its turn once", host == .production && !visited.contains(.sandbox))
        case .tryProduction:
            try claim("each host has its turn once", host == .sandbox && !visited.contains(.production))
        default: break
        }
    }

    private static func check(_ reason: Reason, prefix: String) throws {
        guard !reason.code.isEmpty else { return }
        let number = reason.code.split(separator: ".").last.flatMap { Int($0) }
        let isHTTP = reason.code == "http.other" || number.map { (100...599).contains($0) } ?? false
        try claim(
            "Apple does not choose our labels",
            reason.code.hasPrefix(prefix) && reason.code.utf8.count <= 40
                || reason.code.hasPrefix("http.") && isHTTP
        )
        try claim("a reason is short", reason.message.utf8.count <= 128)
    }

    static func delay(_ header: String, now: Int64) throws -> Duration? {
        AppStoreReply(
            to: try self.call("transaction"),
            status: 429,
            contentType: nil,
            retryAfter: header,
            body: [],
            from: .production,
            now: now
        ).delay
    }
}

extension AppStoreCall {
    fileprivate var revision: String? {
        if case .history(_, let revision) = self { revision } else { nil }
    }
}
