import Operations
import ServiceKit
import UpstreamHTTP
import WorkerKit

@testable import ActivationWorker
@testable import WireFormats

extension FuzzTarget {
    /// `r` for a report or `c` for a callback, a status, the number of the attempt, and the body: an answer to a
    /// batch of Tencent's living interfaces, as the worker sees it.
    static let marketingAnswer = FuzzTarget(
        "marketing-answer",
        longestInput: 1_024,
        words: [
            "r\n200\n1\n", "c\n200\n5\n", "r\n413\n1\n", "c\n503\n5\n", #"{"code":0}"#, #"{"code":11000}"#,
            #"{"code":11017,"message":""#, #"{"code":31033}"#, #""code":30005"#, #"{"code":-1}"#,
            "sec-73018-token", "0f074dc8e1f0547310e729032ac0730b",
        ]
    ) { input in
        var reader = InputReader(input)
        let isCallback = reader.text() == "c"
        let status: Int = reader.number(or: 200)
        let attempt = Attempt(number: max(1, reader.number(or: 1)), now: InputReader.now)
        let response = HTTPResponse(status: status, body: reader.remainder())
        try MarketingBench.made.get().check(response, attempt, isCallback: isCallback)
    }
}

/// A conversion on each of both routes, and the handler that reports it.
private struct MarketingBench {
    static let made = Result { try MarketingBench() }

    private static let token = "sec-73018-token"
    private static let muid = "0f074dc8e1f0547310e729032ac0730b"

    private let handler: ActivationHandler
    private let report: Activation
    private let callback: Activation

    private init() throws {
        let account = GDTAccount(appID: 112_233, advertiserID: 10_000)
        let app = MarketingSettings.App(
            actionSetID: 77,
            token: .fixed(Secret(Self.token), path: nil),
            takesCallbacks: true
        )
        let marketing = MarketingSettings(
            baseURL: try BaseURL(UserActionTarget.standardURL),
            tokenURL: try BaseURL(TokenPair.standardURL),
            apps: [account: app]
        )
        self.handler = ActivationHandler(ActivationSettings(keys: [:], marketing: marketing))
        self.report = Activation(
            account: account,
            appType: .ios,
            conversionType: .activation,
            muid: try MUID(digest: Self.muid),
            convertedAt: InputReader.now / 1_000 - 60
        )
        var callback = self.report
        callback.callback = "https%3A%2F%2Ftracking.e.qq.com%2Fconv%3Fcb%3Da"
        self.callback = callback
    }

    func check(_ response: HTTPResponse, _ attempt: Attempt, isCallback: Bool) throws {
        let job = isCallback ? self.callback : self.report
        var memory = self.handler.emptyMemory
        switch self.handler.interpret(.response(response), of: job, attempt, with: &memory) {
        case .answer(let answer): try self.check(answer, .succeeded, because: nil, isCallback: isCallback)
        case .refuse(let reason, let answer), .refuseInDoubt(let reason, let answer):
            try self.check(reason)
            try self.check(
                try Objection.unless(answer, "a refusal of Tencent's is told"),
                .rejected,
                because: reason,
                isCallback: isCallback
            )
        case .retry(let retry):
            try self.check(retry.reason)
            try claim("no lane waits for a callback", !retry.gatesLane || !isCallback)
            guard let after = retry.after else { return }
            try claim("a wait has a bound", (.zero ... .seconds(86_400)).contains(after))
        case .giveUp(let retry, _):
            try claim("only a callback is given up", isCallback)
            try self.check(retry.reason)
        case .hold(let reason, _):
            try claim("no answer to a callback holds a lane", !isCallback)
            try self.check(reason)
        case .reject(let rejection):
            try claim("a callback makes no dead letter", !isCallback)
            try self.check(rejection.reason)
        case .call: try claim("Tencent is called once", false)
        }
        try self.check(scopeOf: response)
    }

    /// Checks whom the answer to a batch concerns.
    private func check(scopeOf response: HTTPResponse) throws {
        guard case .report(let template, _)? = self.handler.marketing.way(of: self.report) else {
            return try claim("there is a way for reports", false)
        }
        let scope = template.scope(of: response)
        let reply = MarketingReply(response.body)
        if reply?.code == 0, response.status == 200 {
            try claim("a batch that is accepted blames nobody", scope == .request)
        }
        let concernsTheSender = [401, 403, 429].contains(response.status)
        if scope == .key {
            try claim(
                "an account is stopped by Tencent's words or by such a status",
                reply != nil || concernsTheSender
            )
        }
    }

    private func check(_ reason: Reason) throws {
        let number = reason.code.split(separator: ".").last.flatMap { Int($0) }
        let isNumbered =
            reason.code.hasPrefix("marketing.") && number.map { (0...99_999).contains($0) } ?? false
            || reason.code.hasPrefix("http.") && number.map { (100...599).contains($0) } ?? false
        let isNamed = ["marketing.other", "marketing.not_an_answer", "http.other"].contains(reason.code)
        try claim("Tencent does not choose our labels", isNumbered || isNamed)
        try claim("a reason is short", reason.message.utf8.count <= 128)
    }

    /// Checks what the result record says of an answer, in both formats.
    private func check(
        _ answer: ActivationAnswer,
        _ fate: Outcome.Fate,
        because reason: Reason?,
        isCallback: Bool
    ) throws {
        let message = answer.marketing?.message ?? ""
        try claim("words are few", message.utf8.count <= GDTWords.scalarsLimit * 4)
        // The host of this callback gets no token, and so it cannot repeat one.
        for secret in isCallback ? [Self.muid] : [Self.token, Self.muid] {
            try claim("neither token nor device is repeated", !message.lowercased().contains(secret))
        }
        try answer.checkResult(fate, because: reason)
    }
}
