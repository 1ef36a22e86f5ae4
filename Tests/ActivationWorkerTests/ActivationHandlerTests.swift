import Records
import Testing
import UpstreamHTTP
import WireFormats
import WorkerKit

@testable import ActivationWorker

@Suite struct ActivationHandlerTests {
    typealias Verdict = WorkerKit.Verdict<Activation, ActivationAnswer>

    static let convertedAt: Int64 = 1_795_248_000
    static let now = convertedAt * 1_000 + 60_000

    let handler: ActivationHandler
    let job: Activation

    init() throws {
        self.handler = ActivationHandler(
            ActivationSettings(
                baseURL: try BaseURL("http://127.0.0.1:8080/"),
                keys: [
                    GDTAccount(appID: 112_233, advertiserID: 10_000): try GDTKeys(
                        signKey: "test_sign_key",
                        encryptKey: "test_encrypt_key"
                    )
                ]
            )
        )
        self.job = try Activation(decoding: Self.record())
    }

    // MARK: plan

    @Test func callsGDTOnTheLaneOfTheAccountAndItsRule() throws {
        guard case .call(let call) = self.handler.plan(Self.record(), Self.attempt()) else {
            Issue.record("not a call")
            return
        }
        #expect(call.lane == "112233/10000/IOS/MOBILEAPP_ACTIVITE")
        #expect(call.job == self.job)
        #expect(call.request.method == .get && call.request.headers.isEmpty && call.request.body == nil)
        #expect(call.request.url.hasPrefix("http://127.0.0.1:8080/conv/app/112233/conv?v="))
        #expect(call.request.url.hasSuffix("&conv_type=MOBILEAPP_ACTIVITE&app_type=IOS&advertiser_id=10000"))
    }

    /// Scheme 2 knows devices by a muid only.
    @Test func refusesADeviceThatSchemeTwoDoesNotKnow() {
        let alone = Self.json.replacing(
            #""deviceId":"1E2DFA89-496A-47FD-9941-DF1FC4E6484A""#,
            with: #""hashOaid":"83e9158a4fb54c0e1ef0b238639a23ae""#
        )
        guard case .refuse(let reason, _) = self.handler.plan(Self.record(alone), Self.attempt()) else {
            Issue.record("not refused")
            return
        }
        #expect(reason.code == "device_id.empty")
    }

    @Test func givesTheSameURLAtEveryAttempt() {
        let urls = (1...5).map { number -> String? in
            let attempt = Attempt(number: number, now: Self.now + Int64(number) * 1_000)
            guard case .call(let call) = self.handler.plan(Self.record(), attempt) else { return nil }
            return call.request.url
        }
        #expect(Set(urls).count == 1 && urls[0] != nil)
    }

    @Test(arguments: [
        ("{", "value.not_json", DeadLetter.Class.undecodable, DeadLetter.Replayable.no),
        ("", "value.empty", .undecodable, .no),
        (json.replacing("IOS", with: "WINDOWS"), "app_type.unknown", .invalid, .no),
        (json.replacing("\"10000\"", with: "\"x\""), "field.wrong_type", .invalid, .no),
        (json.replacing("10000", with: "10001"), "configuration.unknown_app", .invalid, .afterFix),
        (json.replacing("112233", with: "112234"), "configuration.unknown_app", .invalid, .afterFix),
    ])
    func rejectsWhatCannotBeReported(
        value: String,
        code: String,
        kind: DeadLetter.Class,
        replayable: DeadLetter.Replayable
    ) {
        guard case .reject(let rejection) = self.handler.plan(Self.record(value), Self.attempt()) else {
            Issue.record("not rejected")
            return
        }
        #expect(rejection.reason.code == code)
        #expect(rejection.kind == kind && rejection.replayable == replayable)
        #expect(!rejection.suggestsConfigurationFault)
    }

    @Test func namesTheAppThatHasNoKeys() {
        let record = Self.record(Self.json.replacing("112233", with: "112234"))
        guard case .reject(let rejection) = self.handler.plan(record, Self.attempt()) else {
            Issue.record("not rejected")
            return
        }
        #expect(
            rejection.reason.message
                == "No keys are configured for the app 112234 and the advertiser 10000."
        )
    }

    /// An upload may stand among activations. Without an intake it looked like an activation that is cut off.
    @Test(arguments: ["[]", "", json])
    func anUploadNeedsAnIntake(value: String) {
        var record = Self.record(value)
        record.headers = [RecordHeader("upload.target", "/v3/projects/a/collect")]
        guard case .reject(let rejection) = self.handler.plan(record, Self.attempt()) else {
            Issue.record("not rejected")
            return
        }
        #expect(rejection.reason.code == "upload.needs_intake")
        #expect(rejection.kind == .invalid && rejection.replayable == .afterFix)
    }

    @Test(arguments: [
        (json.replacing("1E2DFA89-496A-47FD-9941-DF1FC4E6484A", with: ""), now, "device_id.empty"),
        (
            json.replacing(
                "1E2DFA89-496A-47FD-9941-DF1FC4E6484A",
                with: "00000000-0000-0000-0000-000000000000"
            ),
            now, "device_id.zero"
        ),
        (json.replacing("1E2DFA89-", with: "1E2DFA89"), now, "device_id.malformed"),
        (
            json.replacing(#""deviceId":"1E2DFA89-496A-47FD-9941-DF1FC4E6484A""#, with: #""muid":"0F""#), now,
            "muid.malformed"
        ),
        (json.replacing("{", with: #"{"clientIp":"10.11.12.13:443","#), now, "client_ip.malformed"),
        (json.replacing("{", with: #"{"clickId":"a b","#), now, "click_id.malformed"),
        (json.replacing("{", with: #"{"clickId":7,"#), now, "click_id.malformed"),
        (json, (convertedAt + 604_800) * 1_000 + 1, "converted_at.too_old"),
        (json, (convertedAt - 300) * 1_000 - 1, "converted_at.in_future"),
    ])
    func refusesByOurOwnRules(value: String, now: Int64, code: String) {
        let plan = self.handler.plan(Self.record(value), Attempt(number: 1, now: now))
        guard case .refuse(let reason, let answer) = plan else {
            Issue.record("not refused")
            return
        }
        #expect(reason.code == code)
        #expect(answer?.account == self.job.account && answer?.conversionType == "MOBILEAPP_ACTIVITE")
        #expect(answer?.gdt == nil)
    }

    /// A wall clock that is set wrong must not refuse conversions for good.
    @Test func callsAtATimeThatIsNotProven() {
        let attempt = Attempt(number: 1, now: Self.now + 700_000_000, proven: Self.now)
        guard case .call = self.handler.plan(Self.record(), attempt) else {
            Issue.record("not called")
            return
        }
    }

    @Test(arguments: [(convertedAt + 604_800) * 1_000, (convertedAt - 300) * 1_000])
    func callsAtTheEdgesOfTheWindow(now: Int64) {
        guard case .call = self.handler.plan(Self.record(), Attempt(number: 1, now: now)) else {
            Issue.record("not called")
            return
        }
    }

    // MARK: interpret, by ret

    @Test(arguments: [
        (#"{"ret":0,"msg":"ok"}"#, 1, "answer 0 ok"),
        (#"{"ret":-1}"#, 1, "reject gdt.-1 rejected after_fix"),
        (#"{"ret":-2}"#, 1, "reject gdt.-2 rejected after_fix configuration"),
        (#"{"ret":-3}"#, 1, "reject gdt.-3 rejected after_fix configuration"),
        (#"{"ret":-13}"#, 1, "reject gdt.-13 rejected after_fix configuration"),
        (#"{"ret":-12}"#, 1, "retry gdt.-12 record"),
        (#"{"ret":-12}"#, 4, "retry gdt.-12 record"),
        (#"{"ret":-12}"#, 5, "hold gdt.-12 lane"),
        (#"{"ret":-12}"#, 6, "hold gdt.-12 lane"),
        (#"{"ret":-17}"#, 4, "retry gdt.-17 record"),
        (#"{"ret":-17}"#, 5, "hold gdt.-17 lane"),
        (#"{"ret":-14}"#, 1, "refuse gdt.-14 ret -14"),
        (#"{"ret":-15}"#, 1, "refuse gdt.-15 ret -15"),
        (#"{"ret":-4}"#, 4, "retry gdt.-4 record"),
        (#"{"ret":-4}"#, 5, "reject gdt.-4 exhausted yes configuration"),
        (#"{"ret":-4}"#, 6, "reject gdt.-4 exhausted yes configuration"),
        (#"{"ret":-11}"#, 1, "retry gdt.-11 record"),
        (#"{"ret":-16}"#, 1, "retry gdt.-16 record"),
        (#"{"ret":1}"#, 1, "retry gdt.1 record"),
        (#"{"ret":99}"#, 1, "retry gdt.99 record"),
        (#"{"ret":100}"#, 1, "retry gdt.other record"),
        (#"{"ret":-99}"#, 1, "retry gdt.-99 record"),
        (#"{"ret":-100}"#, 1, "retry gdt.other record"),
        (#"{"ret":-9223372036854775808}"#, 5, "reject gdt.other exhausted yes configuration"),
        (#"{"ret":"0"}"#, 1, "retry gdt.not_an_answer upstream"),
        (#"{"msg":"ok"}"#, 1, "retry gdt.not_an_answer upstream"),
        ("<html></html>", 1, "retry gdt.not_an_answer upstream"),
        ("", 1, "retry gdt.not_an_answer upstream"),
    ])
    func readsWhatGDTMeans(body: String, number: Int, expected: String) {
        for status in [200, 201, 204, 299] {
            let response = HTTPResponse(status: status, body: Array(body.utf8))
            #expect(self.verdict(.response(response), number: number) == expected)
        }
    }

    @Test func triesAgainOnceAFutureConversionIsDue() {
        let response = Exchange.response(HTTPResponse(status: 200, body: Array(#"{"ret":-14}"#.utf8)))
        let due = Self.convertedAt * 1_000
        #expect(self.verdict(response, now: due - 90_500) == "retry gdt.-14 record after 91.5 seconds")
        #expect(self.verdict(response, now: due - 1) == "retry gdt.-14 record after 1.001 seconds")
        #expect(self.verdict(response, now: due) == "refuse gdt.-14 ret -14")
    }

    // MARK: interpret, by status

    @Test(arguments: [
        (100, "retry http.100 upstream"), (408, "retry http.408 upstream"),
        (425, "retry http.425 upstream"), (429, "retry http.429 upstream"), (500, "retry http.500 upstream"),
        (502, "retry http.502 upstream"), (503, "retry http.503 upstream"), (599, "retry http.599 upstream"),
        (600, "retry http.other upstream"), (999, "retry http.other upstream"),
        (0, "retry http.other upstream"),
        (400, "reject http.400 rejected after_fix configuration"),
        (413, "reject http.413 rejected after_fix configuration"),
        (414, "reject http.414 rejected after_fix configuration"),
        (422, "reject http.422 rejected after_fix configuration"),
        (431, "reject http.431 rejected after_fix configuration"),
        (301, "hold http.301 lane"), (302, "hold http.302 lane"), (304, "hold http.304 lane"),
        (399, "hold http.399 lane"), (401, "hold http.401 lane"), (402, "hold http.402 lane"),
        (403, "hold http.403 lane"), (404, "hold http.404 lane"), (405, "hold http.405 lane"),
        (406, "hold http.406 lane"), (410, "hold http.410 lane"), (418, "hold http.418 lane"),
        (451, "hold http.451 lane"), (499, "hold http.499 lane"),
        (407, "hold http.407 upstream"), (421, "hold http.421 upstream"), (426, "hold http.426 upstream"),
    ])
    func goesByTheStatusOfWhatIsNoSuccess(status: Int, expected: String) {
        for body in ["", #"{"ret":0}"#] {
            let response = HTTPResponse(status: status, body: Array(body.utf8))
            #expect(self.verdict(.response(response)) == expected)
        }
    }

    /// A wrong path or a block once sent a whole topic to the dead letters, as fast as it could be answered.
    @Test(arguments: [301, 401, 403, 404, 405, 410, 418, 451])
    func deadLettersNothingForWhatIsNotAboutTheRecordUnlessItIsAlone(status: Int) {
        let response = Exchange.response(HTTPResponse(status: status))
        #expect(self.verdict(response, number: 4) == "hold http.\(status) lane")
        let last = "reject http.\(status) rejected after_fix configuration"
        #expect(self.verdict(response, number: 5) == last && self.verdict(response, number: 99) == last)
    }

    @Test(arguments: [407, 421, 426])
    func deadLettersNothingForWhatIsOnTheWay(status: Int) {
        let response = Exchange.response(HTTPResponse(status: status))
        #expect(self.verdict(response, number: 99) == "hold http.\(status) upstream")
    }

    @Test(arguments: [
        (429, "30", "retry http.429 upstream after 30.0 seconds for everybody"),
        (503, "0", "retry http.503 upstream after 0.0 seconds for everybody"),
        (503, "-1", "retry http.503 upstream after 0.0 seconds for everybody"),
        (503, "999999", "retry http.503 upstream after 86400.0 seconds for everybody"),
        (503, "Sat, 21 Nov 2026 08:03:00 GMT", "retry http.503 upstream after 120.0 seconds for everybody"),
        (503, "soon", "retry http.503 upstream"),
        (500, "30", "retry http.500 upstream after 30.0 seconds"),
        (302, "30", "retry http.302 upstream after 30.0 seconds"),
        (404, "30", "hold http.404 lane"),
        (302, "soon", "hold http.302 lane"),
    ])
    func honoursRetryAfter(status: Int, header: String, expected: String) {
        let response = HTTPResponse(status: status, headers: [HTTPHeader("Retry-After", header)])
        #expect(self.verdict(.response(response)) == expected)
    }

    // MARK: interpret, without a response

    @Test(arguments: [
        TransferError.Kind.resolve, .connect, .tls, .timeout, .cut, .malformed, .tooLarge, .other,
    ])
    func triesAgainWhenThereIsNoResponse(kind: TransferError.Kind) {
        let before = TransferError(kind: kind, mayHaveBeenSent: false, message: "m")
        let after = TransferError(kind: kind, mayHaveBeenSent: true, message: "m")
        #expect(self.verdict(.failure(before)) == "retry transport.\(kind.rawValue) upstream")
        #expect(self.verdict(.failure(after)) == "retry transport.\(kind.rawValue)_after_send upstream")
    }

    // MARK: The answer

    @Test func keepsGDTsWordsInTheAnswerAndOutOfTheReason() {
        let body = Array(#"{"ret":-15,"msg":"muid of device"}"#.utf8)
        let verdict = self.handler.interpret(
            .response(HTTPResponse(status: 200, body: body)),
            of: self.job,
            Self.attempt()
        )
        guard case .refuse(let reason, let answer) = verdict else {
            Issue.record("not refused")
            return
        }
        #expect(answer?.gdt?.ret == -15 && answer?.gdt?.httpStatus == 200)
        #expect(answer?.gdt?.message == "muid of device")
        #expect(!reason.message.contains("device"))
    }

    /// Only GDT knows what its codes mean: an operator has nothing to go by but GDT's words.
    @Test(arguments: [
        (#"{"ret":-7,"msg":"quota used up"}"#, "gdt.-7", "saying: quota used up"),
        (#"{"ret":-7}"#, "gdt.-7", "without a word"),
        (#"{"ret":12345,"msg":"?"}"#, "gdt.other", "with 12345, which it does not document, saying: ?"),
        (#"{"ret":-7,"msg":"40c7084b4845eebce9d07b8a18a055fc"}"#, "gdt.-7", "saying: redacted"),
        (#"{"ret":-7,"msg":"your key TEST_SIGN_KEY"}"#, "gdt.-7", "saying: redacted"),
        (#"{"ret":-7,"msg":"your key test%5fencrypt%5Fkey"}"#, "gdt.-7", "saying: redacted"),
    ])
    func quotesGDTWhereItsCodeIsUnknown(body: String, code: String, end: String) {
        let response = Exchange.response(HTTPResponse(status: 200, body: Array(body.utf8)))
        for number in [1, 5] {
            let attempt = Attempt(number: number, now: Self.now)
            let reason: Reason
            switch self.handler.interpret(response, of: self.job, attempt) {
            case .retry(let retry): reason = retry.reason
            case .reject(let rejection): reason = rejection.reason
            default:
                Issue.record("neither retried nor rejected")
                continue
            }
            #expect(reason.code == code && reason.message.hasSuffix(end), "\(reason)")
        }
    }

    // MARK: Tools

    static let json = #"""
        {"appId":"112233","advertiserId":"10000","appType":"IOS","conversionType":"MOBILEAPP_ACTIVITE",
        "deviceId":"1E2DFA89-496A-47FD-9941-DF1FC4E6484A","convertedAt":"2026-11-21T08:00:00Z"}
        """#

    static func record(_ value: String = json) -> InboundRecord {
        InboundRecord(topic: "activation", partition: 0, offset: 1, value: Array(value.utf8))
    }

    static func attempt() -> Attempt { Attempt(number: 1, now: Self.now) }

    private func verdict(_ exchange: Exchange, number: Int = 1, now: Int64 = now) -> String {
        self.handler.interpret(exchange, of: self.job, Attempt(number: number, now: now)).words
    }
}

extension Verdict<Activation, ActivationAnswer> {
    /// A verdict on one line, so that a table can say it.
    fileprivate var words: String {
        switch self {
        case .answer(let answer):
            return "answer \(answer.gdt?.ret ?? 1) \(answer.gdt?.message ?? "nothing")"
        case .refuse(let reason, let answer):
            return "refuse \(reason.code) ret \(answer?.gdt?.ret ?? 1)"
        case .call:
            return "call"
        case .retry(let retry):
            let after = retry.after.map { " after \($0)" } ?? ""
            return
                "retry \(retry.reason.code) \(retry.blame)\(after)\(retry.gatesUpstream ? " for everybody" : "")"
        case .reject(let rejection):
            let fault = rejection.suggestsConfigurationFault ? " configuration" : ""
            return
                "reject \(rejection.reason.code) \(rejection.kind) \(rejection.replayable.rawValue)\(fault)"
        case .refuseInDoubt(let reason, _):
            return "refuse in doubt \(reason.code)"
        case .giveUp(let retry, _):
            return "give up \(retry.reason.code)"
        case .hold(let reason, let scope):
            return "hold \(reason.code) \(scope)"
        }
    }
}
