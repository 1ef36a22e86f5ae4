import SwiftProtobuf
import Testing
import WireMessages

@testable import WireFormats

/// The type that a field wants, as it is told to a publisher.
struct ExpectedTypeTests {
    private func type<Decoded: Message>(of name: String, in message: Decoded.Type) -> ExpectedType? {
        ExpectedType(of: Array("\"\(name)\"".utf8), in: message)
    }

    @Test func eachTypeOfFieldIsFoundByTrying() {
        #expect(self.type(of: "deviceId", in: Flotilla_Activation_V1_Activation.self) == .text)
        #expect(self.type(of: "value", in: Flotilla_Activation_V1_Activation.self) == .wholeNumber)
        #expect(self.type(of: "convertedAt", in: Flotilla_Activation_V1_Activation.self) == .time)
        #expect(self.type(of: "trackingAuthorized", in: Flotilla_Activation_V1_Activation.self) == .flag)
        #expect(self.type(of: "bit0", in: Flotilla_Devicecheck_V1_DeviceCheck.self) == .flag)
        #expect(self.type(of: "value", in: Google_Protobuf_DoubleValue.self) == nil)
        #expect(self.type(of: "type", in: Google_Protobuf_Api.self) == nil)
        #expect(self.type(of: "methods", in: Google_Protobuf_Api.self) == .list)
        #expect(self.type(of: "sourceContext", in: Google_Protobuf_Api.self) == .object)
    }

    /// Each field of each topic can be told. The senders of `payload` may send an object or its text.
    @Test func noFieldOfOursIsWithoutAType() {
        for name in SchemaFields.activation.names {
            #expect(self.type(of: name, in: Flotilla_Activation_V1_Activation.self) != nil, "\(name)")
        }
        for name in SchemaFields.deviceCheck.names {
            #expect(self.type(of: name, in: Flotilla_Devicecheck_V1_DeviceCheck.self) != nil, "\(name)")
        }
        for name in SchemaFields.receipt.names {
            #expect(self.type(of: name, in: Flotilla_Receipt_V1_Receipt.self) != nil, "\(name)")
        }
        for name in SchemaFields.pushEvent.names {
            #expect(self.type(of: name, in: Flotilla_Pusharrival_V1_PushEvent.self) != nil, "\(name)")
        }
    }

    @Test func theComplaintNamesWhatIsThereAndWhatHasToBe() {
        let message = Flotilla_Activation_V1_Activation.self
        #expect(
            ExpectedType.complaint(about: "value", is: "a number", in: message)
                == "The value of `value` is a number; it has to be a whole number."
        )
        #expect(
            ExpectedType.complaint(about: "clickId", is: "a string", in: message)
                == "The value of `clickId` is a string that is not Unicode."
        )
    }
}
