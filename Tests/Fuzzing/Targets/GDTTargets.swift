import Records
import UpstreamHTTP
import WorkerKit

@testable import ActivationWorker
@testable import WireFormats

extension FuzzTarget {
    /// A status, a `Retry-After`, the number of the attempt, and the body: an answer as the worker sees it.
    static let gdtAnswer = FuzzTarget(
        "gdt-answer",
        longestInput: 1_024,
        words: [
            "200\n\n1\n", "429\n120\n1\n", "503\nSat, 21 Nov 2026 08:00:05 GMT\n5\n",
            "{\"ret\":0,\"msg\":\"success\"}",
            "{\"ret\":-14}", "\"ret\":-12", "\"msg\":\"",
        ]
    ) { input in
        var reader = InputReader(input)
        let status: Int = reader.number(or: 200)
        let retryAfter = reader.line()
        let attempt = Attempt(number: max(1, reader.number(or: 1)), now: InputReader.now)
        var response = HTTPResponse(status: status, body: reader.remainder())
        if !retryAfter.isEmpty {
            response.headers = [HTTPHeader("Retry-After", String(decoding: retryAfter, as: UTF8.self))]
        }
        let bench = try GDTBench.made.get()
        var memory = bench.handler.emptyMemory
        let verdict = bench.handler.interpret(
            .response(response),
            of: bench.activation,
            attempt,
            with: &memory
        )
        try bench.check(verdict, on: response)
    }

    /// A recipe, and words around what nobody may read. The recipe's first character chooses which of it, and the
    /// others how it is disguised, layer upon layer.
    static let gdtWords = FuzzTarget(
        "gdt-words",
        longestInput: 1_200,
        words: ["muid=", "%25", "sign:", "1p\n", "2qUp\n", "0f074dc8", "e1f05473", "%3d"]
    ) { input in
        var reader = InputReader(input)
        let recipe = reader.line()
        let before = reader.text()
        let after = reader.remainingText()
        let bench = try GDTBench.made.get()
        try bench.check(words: bench.shown(before + after), of: before + after)
        let planted = before + bench.disguised(recipe) + after
        try claim(
            "what nobody may read is not repeated, however it is disguised",
            bench.shown(planted) == GDTWords.redacted
        )
    }
}

/// A conversion that is under way, and the handler that reports it.
struct GDTBench {
    static let made = Result { try GDTBench() }

    let activation: Activation
    let handler: ActivationHandler
    private let keys: GDTKeys
    /// The values that identify the device, and the keys.
    private let secrets: [String]

    private init() throws {
        let account = GDTAccount(appID: 112_233, advertiserID: 10_000)
        self.activation = Activation(
            account: account,
            appType: .ios,
            conversionType: .payment,
            muid: try MUID(digest: "0f074dc8e1f0547310e729032ac0730b"),
            convertedAt: InputReader.now / 1_000 - 60,
            clientIP: "203.0.113.73",
            clickID: "Click-7301-id",
            value: 4_990
        )
        self.keys = try GDTKeys(signKey: "test_sign_key", encryptKey: "test_encrypt_key")
        let settings = ActivationSettings(keys: [account: self.keys])
        self.handler = ActivationHandler(settings)
        let url = ConversionReport(for: account, keys: self.keys).url(of: self.activation)
        let v = url.split(separator: "?v=").last?.prefix { $0 != "&" } ?? ""
        self.secrets = [
            "0f074dc8e1f0547310e729032ac0730b", "203.0.113.73", "Click-7301-id", "test_sign_key",
            "test_encrypt_key", String(v),
        ]
    }

    func shown(_ message: String) -> String {
        GDTWords.shown(message, about: self.activation, keys: self.keys)
    }

    func check(words shown: String, of message: String) throws {
        guard shown != GDTWords.redacted else { return }
        try claim(
            "words are repeated whole or up to the limit",
            message.unicodeScalars.starts(with: shown.unicodeScalars)
        )
        try claim("words are few", shown.utf8.count <= GDTWords.scalarsLimit * 4)
        let text = Array(shown.utf8).map(\.lowercased)
        for secret in self.secrets {
            let secret = Array(secret.utf8).map(\.lowercased)
            try claim("nothing personal is repeated, and no key", text.firstRange(of: secret) == nil)
        }
        let digits = text.split { !$0.isHexadecimal && $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }
        try claim(
            "no digest is repeated, nor half of one",
            digits.allSatisfy { $0.count(where: \.isHexadecimal) < 16 }
        )
    }

    func disguised(_ recipe: [UInt8]) -> String {
        let choice = Int(recipe.first ?? 0) % self.secrets.count
        var bytes = Array(self.secrets[choice].utf8)
        for step in recipe.dropFirst().prefix(4) {
            switch step {
            case UInt8(ascii: "U"): bytes = bytes.map(\.uppercased)
            case UInt8(ascii: "l"): bytes = bytes.map(\.lowercased)
            case UInt8(ascii: "p"): bytes = bytes.flatMap { Self.escape($0, uppercase: true) }
            case UInt8(ascii: "q"): bytes = bytes.flatMap { Self.escape($0, uppercase: false) }
            default: bytes = PercentEncoding.encode(bytes)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func escape(_ byte: UInt8, uppercase: Bool) -> [UInt8] {
        let digits = String(UInt16(byte) + 0x100, radix: 16, uppercase: uppercase).utf8.dropFirst()
        return [UInt8(ascii: "%")] + digits
    }
}

extension GDTBench {
    func check(_ verdict: Verdict<Activation, ActivationAnswer>, on response: HTTPResponse) throws {
        switch verdict {
        case .answer(let answer): try self.check(answer, .succeeded, nil, response)
        case .refuse(let reason, let answer):
            try self.check(reason)
            try self.check(
                try Objection.unless(answer, "a refusal of GDT's is told"),
                .rejected,
                reason,
                response
            )
        case .retry(let retry):
            try self.check(retry.reason)
            guard let after = retry.after else { return }
            try claim("a wait has a bound", (.zero...RetryAfter.longestDelay).contains(after))
        case .reject(let rejection): try self.check(rejection.reason)
        case .hold(let reason, _): try self.check(reason)
        case .refuseInDoubt: try claim("GDT's refusals are in no doubt", false)
        case .call: try claim("GDT is called once", false)
        case .giveUp: try claim("a report has as long as the engine gives it", false)
        }
    }

    private func check(_ reason: Reason) throws {
        let number = reason.code.split(separator: ".").last.flatMap { Int($0) }
        let isNumbered =
            reason.code.hasPrefix("gdt.") && number.map { (-99...99).contains($0) } ?? false
            || reason.code.hasPrefix("http.") && number.map { (100...599).contains($0) } ?? false
        let isNamed = ["gdt.other", "gdt.not_an_answer", "http.other"].contains(reason.code)
        try claim("GDT does not choose our labels", isNumbered || isNamed)
        try claim("a reason is short", reason.message.utf8.count <= 128 + GDTWords.scalarsLimit * 4)
    }

    /// Checks what the result record says of an answer, in both formats.
    private func check(
        _ answer: ActivationAnswer,
        _ fate: Outcome.Fate,
        _ reason: Reason?,
        _ response: HTTPResponse
    ) throws {
        let theirs = FoundationJSON(response.body)?.members?["ret"]
        if case .number(let ret) = theirs, let code = ret.integer, let told = answer.gdt?.ret {
            try claim("Foundation reads the same code", Int32(clamping: code) == told)
        }
        try self.check(words: answer.gdt?.message ?? "", of: GDTReply(response.body)?.message ?? "")
        try answer.checkResult(fate, because: reason)
    }
}
