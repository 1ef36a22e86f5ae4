import Foundation
import TestMaterial
import Testing
import WorkerTestSupport

/// `plan`, run as a process by somebody who knows its arguments and its lines, and nothing of its code.
@Suite(.timeLimit(.minutes(10)))
struct PlanCommandTests {
    static let convertedAt = 1_422_263_664
    static let arguments = ["plan", "--config", "{settings}", "--now", "\(convertedAt)"]
    static let good = #"""
        {"appId":"112233","advertiserId":"10000","appType":"ANDROID","conversionType":"MOBILEAPP_ACTIVITE",\#
        "muid":"0f074dc8e1f0547310e729032ac0730b","convertedAt":"2015-01-26T09:14:24Z","clientIp":"10.11.12.13"}
        """#

    /// 17 rows in as few processes as their keys allow, byte for byte.
    @Test func givesTheURLOfEveryVector() throws {
        let rows = GDTVector.all.filter { $0.outputs != nil }
        #expect(rows.count == 17)
        for batch in GDTVector.batches(rows) {
            let order = batch.first?.inputs.order.map { ["parameter_order: \($0.joined(separator: ","))"] }
            let apps = Dictionary(batch.map(\.app).map { ("\($0.appID)/\($0.advertiserID)", $0) }) { $1 }
            var expected: [String] = []
            var input = ""
            // The rows are of different years: one time of ours for each.
            for row in batch {
                expected.append(try #require(row.outputs?.final_url))
                input += try row.record + "\n"
            }
            let times = Set(batch.map(\.inputs.conv_time))
            let command = try WorkerCommand(
                ["plan", "--config", "{settings}", "--reveal", "--now", "\(try #require(times.max()))"],
                settings: SettingsText(
                    apps: apps.values.map(\.self),
                    gdt: ["maximum_age: 36500d"] + (order ?? [])
                ),
                input: Array(input.utf8)
            )
            #expect(command.status == 0 && command.complaints == "")
            #expect(command.objects.map { $0["url"] as? String } == expected)
            #expect(command.objects.allSatisfy { $0["verdict"] as? String == "call" })
            #expect(command.objects.allSatisfy { $0["method"] as? String == "GET" })
        }
    }

    @Test func refusesTheVectorsThatMustBeRefused() throws {
        let rows = GDTVector.all.filter { $0.outputs == nil }
        #expect(rows.count == 4)
        for row in rows {
            let command = try WorkerCommand(
                ["plan", "--config", "{settings}", "--reveal", "--now", "1700000000"],
                settings: SettingsText(apps: [row.app]),
                input: Array(try row.record.utf8)
            )
            guard row.inputs.encrypt_key.isEmpty else {
                #expect(command.objects.map { $0["verdict"] as? String } == ["reject"], "\(row.name)")
                continue
            }
            #expect(command.status == 1 && command.output.isEmpty)
            #expect(command.complaints.contains("gdt.apps[0].encrypt_key: must not be empty"))
        }
    }

    @Test func printsOneLineForEachLine() throws {
        let padded = { Self.good.replacing("{", with: #"{"x":"\#(String(repeating: "a", count: $0))","#) }
        let cases: [(line: [UInt8], end: String, reason: String?)] = [
            (Array(Self.good.utf8), "\n", nil),
            ([], "\n", "value.empty"),
            (Array(Self.good.utf8), "\r\n", nil),
            ([], "\r\n", "value.empty"),
            (Array("{".utf8), "\n", "value.not_json"),
            ([0xFF, 0xFE], "\n", "value.not_protobuf"),
            (Array(#"{"appId":""#.utf8) + [0xFF] + Array("\"}".utf8), "\n", "value.not_json"),
            (Array("[]".utf8), "\n", "value.not_protobuf"),
            (Array(padded(900_000).utf8), "\n", nil),
            (Array(padded(3_000_000).utf8), "\n", "value.too_large"),
            (Array((#"{"a":"# + String(repeating: "[", count: 500_000)).utf8), "\n", "value.not_json"),
            (Array("{}".utf8), "\n", "app_id.missing"),
            (Array(Self.good.replacing("112233", with: "1").utf8), "\n", "configuration.unknown_app"),
            (Array(Self.good.utf8), "", nil),
        ]
        let input = cases.flatMap { $0.line + Array($0.end.utf8) }
        let command = try WorkerCommand(Self.arguments, input: input)
        #expect(command.status == 0 && command.complaints == "")
        #expect(command.objects.count == cases.count)
        for (object, expected) in zip(command.objects, cases) {
            #expect(object["verdict"] as? String == (expected.reason == nil ? "call" : "reject"))
            #expect(object["reason"] as? String == expected.reason)
        }
    }

    @Test(arguments: [([UInt8](), 0), (Array("\n".utf8), 1), (Array("\n\n".utf8), 2), (Array("x".utf8), 1)])
    func printsNothingForNothing(input: [UInt8], count: Int) throws {
        #expect(try WorkerCommand(Self.arguments, input: input).objects.count == count)
    }

    @Test func masksWhatIsSecretOrPersonalUnlessToldToReveal() throws {
        let record = Self.good.replacing("}", with: #","clickId":"click-0815"}"#)
        let masked = try WorkerCommand(Self.arguments, input: Array(record.utf8))
        #expect(
            masked.objects.first?["url"] as? String
                == "http://t.gdt.qq.com/conv/app/112233/conv?v=masked&conv_type=MOBILEAPP_ACTIVITE"
                + "&app_type=ANDROID&advertiser_id=10000"
        )
        let secrets = [
            "test_sign_key", "test_encrypt_key", "0f074dc8e1f0547310e729032ac0730b", "10.11.12.13",
            "click-0815", "GRAaEGJVCFNFTRQX",
        ]
        for secret in secrets { #expect(!masked.output.contains(secret)) }
        let revealed = try WorkerCommand(Self.arguments + ["--reveal"], input: Array(record.utf8))
        #expect(revealed.output.contains("?v=GRAaEGJVCFNFTRQX"))
        for secret in secrets.dropLast() { #expect(!revealed.output.contains(secret)) }
    }

    /// A program that asks and waits for the answer must get one before it closes its end.
    @Test func answersALineAsSoonAsItIsThere() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Array(SettingsText().text.utf8), to: "settings.yaml")
        let (input, output) = (Pipe(), Pipe())
        let process = try WorkerCommand.process(
            "activation-worker",
            Self.arguments.map { $0.replacing("{settings}", with: file.path) },
            input: .pipe(input),
            output: .pipe(output)
        )
        for _ in 1...3 {
            try input.fileHandleForWriting.write(contentsOf: Data((Self.good + "\n").utf8))
            let answer = output.fileHandleForReading.availableData
            #expect(String(decoding: answer, as: UTF8.self).hasPrefix(#"{"verdict":"call""#))
        }
        try input.fileHandleForWriting.close()
        #expect(process.wait() == 0)
    }

    @Test func saysWhatIsWrongWithTheSettingsAndReadsNothing() throws {
        let command = try WorkerCommand(
            Self.arguments,
            settings: SettingsText("kafka:\n  brokers: b:9092\n"),
            input: Array(Self.good.utf8)
        )
        #expect(command.status == 1 && command.output.isEmpty)
        #expect(command.complaints.contains("gdt.apps: must be a list of at least 1"))
    }
}
