import Harness
import Records
import WireFormats
import WireMessages

/// The records of each step of the activation demo.
enum Samples {
    /// Records with every conversion type, every app type and every form that a value may have.
    static func good(_ make: inout Activations) -> [Sample] {
        var samples = ConversionType.allCases.map { type in
            Sample.good("\(type.rawValue), JSON", make.json(make.message(type)))
        }
        samples += [
            .good("Android app, IMEI", make.json(make.message(on: .android))),
            .good("union Android app, MEID", make.json(make.message(on: .unionAndroid))),
            .good("device as a digest", make.json(self.digested(make.message()))),
            .good("JSON, content type given", make.json(make.message(), [self.contentType(.json)])),
            .good(
                "protobuf, content type given",
                make.protobuf(make.message(), [self.contentType(.protobuf)])
            ),
            .good("protobuf, unannounced", make.protobuf(make.message())),
            .good("JSON in a registry frame", make.framed(make.message(), as: .json)),
            .good("protobuf in a registry frame", make.framed(make.message(), as: .protobuf)),
            .good("CloudEvent around JSON", make.event(make.message(), as: .json)),
            .good("CloudEvent around protobuf", make.event(make.message(), as: .protobuf)),
            .good("CloudEvent in headers", make.binaryEvent(make.message())),
        ]
        return samples
    }

    /// Good records for an outage. The number of calls that each takes depends on timing.
    static func steady(_ count: Int, _ make: inout Activations) -> [Sample] {
        (1...count).map { .good("record \($0) of the outage", make.json(make.message()), calls: 1...100) }
    }

    private static func digested(_ message: Flotilla_Activation_V1_Activation)
        -> Flotilla_Activation_V1_Activation
    {
        var message = message
        message.deviceID = ""
        message.muid = "0f074dc8e1f0547310e729032ac0730b"
        return message
    }

    static func contentType(_ format: ValueFormat) -> RecordHeader {
        RecordHeader("content-type", format.contentType)
    }
}
