import Foundation
import Records
import SwiftProtobuf
import TestMaterial
import Testing
import WireMessages

@testable import WireFormats

/// Results behind the frame of a schema registry, as Confluent's wire format has it.
@Suite struct ResultFramingTests {
    private static let outcome = Outcome.ofActivation(.rejected, Reason("gdt.-15", "No \"muid\"."))

    @Test(
        arguments: [
            (1, ValueFormat.json, 0, [0, 0, 0, 0, 1]), (0x0102_0304, .json, 2, [0, 1, 2, 3, 4]),
            (Int32.max, .protobuf, 0, [0, 0x7F, 0xFF, 0xFF, 0xFF, 0]),
            (100_042, .protobuf, 1, [0, 0, 1, 0x86, 0xCA, 2, 2]), (7, .protobuf, 2, [0, 0, 0, 0, 7, 2, 4]),
            (7, .protobuf, 64, [0, 0, 0, 0, 7, 2, 0x80, 1]),
        ] as [(Int32, ValueFormat, Int, [UInt8])]
    )
    func aFrameHasTheBytesOfTheWireFormat(id: Int32, format: ValueFormat, place: Int, bytes: [UInt8]) {
        #expect(SchemaRegistryFraming.frame(schema: id, format, messageAt: place) == bytes)
    }

    @Test(arguments: ValueFormat.allCases, [ResultEnvelope.none, .binary])
    func theOutcomeIsReadAgain(format: ValueFormat, envelope: ResultEnvelope) throws {
        let value = ActivationResult.encode(Self.outcome, nil, as: format)
        for place in [0, 2, 64, 70_000] {
            var record = OutboundRecord(
                topic: "r",
                value: SchemaRegistryFraming.frame(schema: 7, format, messageAt: place) + value,
                headers: [RecordHeader("content-type", format.contentType)]
            )
            record.wrap(in: envelope, of: Self.outcome, as: format)
            let read = InboundRecord(
                topic: "r",
                partition: 0,
                offset: 0,
                value: record.value,
                headers: record.headers
            )
            for expected in [nil, place] {
                let payload = try RecordPayload(of: read, messageAt: expected)
                #expect(payload.format == format && payload.message == value)
            }
            guard format == .protobuf else { continue }
            let fault = #expect(throws: RecordFault.self) {
                try RecordPayload(of: read, messageAt: place + 1)
            }
            #expect(fault?.reason.code == "value.framing")
        }
    }

    /// The places that frames name are those of the messages in the files that an operator registers.
    @Test(
        arguments: [
            ("activation/v1/activation_result", Flotilla_Activation_V1_ActivationResult.self, 0),
            ("devicecheck/v1/devicecheck_result", Flotilla_Devicecheck_V1_DeviceCheckResult.self, 0),
            ("receipt/v1/receipt_result", Flotilla_Receipt_V1_ReceiptResult.self, 0),
            ("worker/v1/worker_result", Flotilla_Worker_V1_WorkerResult.self, 0),
            ("pusharrival/v1/push_arrival_result", Flotilla_Pusharrival_V1_PushArrivalResult.self, 0),
            (
                "pusharrival/v1/push_forward", Flotilla_Pusharrival_V1_PushForwardResult.self,
                PushForwardResult.place
            ),
        ] as [(String, any Message.Type, Int)]
    )
    func aPlaceIsThatOfTheSchema(file: String, type: any Message.Type, place: Int) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(
            contentsOf: root.appending(path: "Schemas/flotilla/\(file).proto"),
            encoding: .utf8
        )
        let messages = text.split(separator: "\n").filter { $0.hasPrefix("message ") }.map {
            String($0.dropFirst("message ".count).prefix { $0 != " " })
        }
        let name = type.protoMessageName.split(separator: ".").last.map(String.init) ?? ""
        #expect(messages.firstIndex(of: name) == place)
    }
}
