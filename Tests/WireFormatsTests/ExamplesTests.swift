import Foundation
import SwiftProtobuf
import Testing
import WireMessages

@testable import WireFormats

/// The documents of `Schemas/examples`: what they show has to be what is read and written.
@Suite struct ExamplesTests {
    static let schemas = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Schemas")

    static func examples(_ folder: String, type: String = "json") -> [String] {
        let files = try? FileManager.default.contentsOfDirectory(
            atPath: self.schemas.appending(path: "examples/\(folder)").path()
        )
        return (files ?? []).filter { $0.hasSuffix(".\(type)") }.sorted()
    }

    static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: self.schemas.appending(path: path)))
    }

    @Test(arguments: examples("activation"))
    func readsAnActivation(file: String) throws {
        let bytes = try Self.bytes("examples/activation/\(file)")
        _ = try Activation(decoding: ActivationDraft.record(bytes, at: 1_795_248_000_000))
        try self.expectCanonical(Flotilla_Activation_V1_Activation.self, bytes)
    }

    @Test(arguments: examples("activation.result"))
    func readsAResult(file: String) throws {
        let bytes = try Self.bytes("examples/activation.result/\(file)")
        try self.expectCanonical(Flotilla_Activation_V1_ActivationResult.self, bytes)
        let result = try Flotilla_Activation_V1_ActivationResult(jsonUTF8Bytes: bytes)
        #expect(Outcome.Fate(rawValue: result.outcome.fate) != nil)
        #expect(result.outcome.hasReason == (result.outcome.fate != "succeeded"))
        #expect(result.outcome.hasDeadLetterID == (result.outcome.fate == "dead_lettered"))
    }

    @Test(arguments: examples("devicecheck"))
    func readsADeviceCheck(file: String) throws {
        let bytes = try Self.bytes("examples/devicecheck/\(file)")
        _ = try DeviceCheck(decoding: DeviceCheckDraft.record(bytes))
        try self.expectCanonical(Flotilla_Devicecheck_V1_DeviceCheck.self, bytes)
    }

    @Test(arguments: examples("devicecheck.result"))
    func readsADeviceCheckResult(file: String) throws {
        let bytes = try Self.bytes("examples/devicecheck.result/\(file)")
        try self.expectCanonical(Flotilla_Devicecheck_V1_DeviceCheckResult.self, bytes)
        let result = try Flotilla_Devicecheck_V1_DeviceCheckResult(jsonUTF8Bytes: bytes)
        #expect(Outcome.Fate(rawValue: result.outcome.fate) != nil)
        #expect(result.outcome.hasReason == (result.outcome.fate != "succeeded"))
        #expect(result.outcome.hasDeadLetterID == (result.outcome.fate == "dead_lettered"))
        #expect(result.result.isEmpty == (result.outcome.fate == "dead_lettered"))
        #expect(result.hasBit0 == ["state", "updated"].contains(result.result))
    }

    @Test(arguments: examples("receipt"))
    func readsAReceipt(file: String) throws {
        let bytes = try Self.bytes("examples/receipt/\(file)")
        let receipt = try Receipt(decoding: ReceiptTests.record(bytes))
        if !receipt.text.isEmpty { _ = try ReceiptInput(receipt.text) }
        try self.expectCanonical(Flotilla_Receipt_V1_Receipt.self, bytes)
    }

    @Test(arguments: examples("receipt.result"))
    func readsAReceiptResult(file: String) throws {
        let bytes = try Self.bytes("examples/receipt.result/\(file)")
        try self.expectCanonical(Flotilla_Receipt_V1_ReceiptResult.self, bytes)
        let result = try Flotilla_Receipt_V1_ReceiptResult(jsonUTF8Bytes: bytes)
        #expect(Outcome.Fate(rawValue: result.outcome.fate) != nil)
        #expect(result.outcome.hasReason == (result.outcome.fate != "succeeded"))
        #expect(result.outcome.hasDeadLetterID == (result.outcome.fate == "dead_lettered"))
        #expect(result.verdict.isEmpty == (result.outcome.fate == "dead_lettered"))
        for transaction in result.transactions {
            #expect(StoreTransactionState(rawValue: transaction.state) != nil)
        }
    }

    @Test(arguments: examples("sdk-upload.result"))
    func readsAResultOfAnUpload(file: String) throws {
        let bytes = try Self.bytes("examples/sdk-upload.result/\(file)")
        try self.expectCanonical(Flotilla_Sdkupload_V1_SdkUploadResult.self, bytes)
        let result = try Flotilla_Sdkupload_V1_SdkUploadResult(jsonUTF8Bytes: bytes)
        #expect(result.outcome.hasReason == (result.outcome.fate != "succeeded"))
        #expect(result.hasUpload == (result.outcome.fate == "succeeded"))
    }

    @Test(arguments: examples("sdk-events"))
    func readsAPublishedEvent(file: String) throws {
        let bytes = try Self.bytes("examples/sdk-events/\(file)")
        let event = try #require(PublishedSDKEvent(bytes))
        #expect(event.receivedAt != nil && !event.type.isEmpty)
        // The decoder of uploads reads the event as a phone has sent it, and writes the same record again.
        let upload = try SDKUpload(
            decoding: SDKUploadRequest(
                target: "/v3/projects/\(event.account)/collect",
                headers: [],
                body: Array("[".utf8) + event.json + Array("]".utf8)
            )
        )
        let again = try #require(upload.events.first).record(
            id: event.id,
            account: event.account,
            upload: event.upload,
            receivedAt: event.receivedAt,
            clientIP: event.clientIP
        )
        let before = try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? NSDictionary)
        let after = try #require(JSONSerialization.jsonObject(with: Data(again)) as? NSDictionary)
        #expect(before == after)
    }

    @Test(arguments: examples("activation-click", type: "query"))
    func readsAClick(file: String) throws {
        let click = try AdClick(query: try Self.bytes("examples/activation-click/\(file)"))
        #expect(click.clickedAt == 1_795_507_000)
        #expect((click.muid == nil) == (file == "click-id-alone.query"))
        #expect((click.clickID == nil) == (file == "device-alone.query"))
    }

    @Test func thereAreExamplesOfClicks() {
        #expect(Self.examples("activation-click", type: "query").count >= 5)
    }

    @Test func showsEveryVerdictOnReceipts() throws {
        let verdicts = try Self.examples("receipt.result").map {
            try Flotilla_Receipt_V1_ReceiptResult(
                jsonUTF8Bytes: try Self.bytes("examples/receipt.result/\($0)")
            ).verdict
        }
        #expect(Set(verdicts).subtracting([""]) == Set(ReceiptVerdict.allCases.map(\.rawValue)))
    }

    @Test func showsEveryResultOfDeviceCheck() throws {
        let results = try Self.examples("devicecheck.result").map {
            try Flotilla_Devicecheck_V1_DeviceCheckResult(
                jsonUTF8Bytes: try Self.bytes("examples/devicecheck.result/\($0)")
            ).result
        }
        let known = Set(DeviceCheckAnswer.Result.allCases.map(\.rawValue))
        #expect(Set(results).subtracting([""]) == known)
    }

    @Test func showsEveryFateAndSeveralKinds() throws {
        let fates = try Self.examples("activation.result").map {
            try Flotilla_Activation_V1_ActivationResult(
                jsonUTF8Bytes: try Self.bytes("examples/activation.result/\($0)")
            ).outcome.fate
        }
        #expect(Set(fates) == Set(Outcome.Fate.allCases.map(\.rawValue)))
        #expect(Self.examples("activation").count >= 5)
    }

    /// Read strictly and written again, it says the same: no name is unknown and no spelling an accident.
    private func expectCanonical<Example: Message>(_ type: Example.Type, _ bytes: [UInt8]) throws {
        let again: [UInt8] = try Example(jsonUTF8Bytes: bytes).jsonUTF8Bytes()
        let before = try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? NSDictionary)
        let after = try #require(JSONSerialization.jsonObject(with: Data(again)) as? NSDictionary)
        #expect(before == after)
    }
}
