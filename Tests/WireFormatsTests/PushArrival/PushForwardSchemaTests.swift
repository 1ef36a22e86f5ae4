import Records
import SwiftProtobuf
import TestMaterial
import Testing
import WireMessages

@testable import WireFormats

/// The schemas of the forwarder's topics, and what is really written there.
struct PushForwardSchemaTests {
    private static let outcomes = [
        Outcome.ofActivation(),
        Outcome.ofActivation(.expired, Reason("expired", "The deadline has passed.")),
        Outcome.ofActivation(.deadLettered, Reason("forward.status", "No."), deadLetterID: "dl-1"),
    ]

    @Test func aBatchIsValid() throws {
        let schema = try SchemaTests.schema("push-arrival.forward")
        let full = PushEvent(.arrived, deviceID: "d\"1\\", serverMS: 1_795_248_000_000)
        let arrivals = [full, PushEvent(.arrived, deviceID: "e", serverMS: -1)].map {
            PushForwardBatch.Arrival($0, PushTime(of: $0))
        }
        for count in 1...2 {
            let bytes = PushForwardBatch(Array(arrivals.prefix(count))).json
            #expect(try schema.objections(to: bytes) == [])
            #expect(
                try PushForwardBatch.count(
                    in: InboundRecord(topic: "t", partition: 0, offset: 0, value: bytes)
                )
                    == count
            )
        }
        #expect(try schema.objections(to: PushForwardBatch([]).json) != [], "a batch has an arrival")
    }

    @Test func aResultIsValid() throws {
        let schema = try SchemaTests.schema("push-arrival.forward.result")
        let answers: [PushForwardAnswer?] = [
            nil, PushForwardAnswer(arrivals: 50), PushForwardAnswer(arrivals: 1, httpStatus: 503),
        ]
        for outcome in Self.outcomes {
            for answer in answers {
                let bytes = PushForwardResult.encode(outcome, answer, as: .json)
                #expect(try schema.objections(to: bytes) == [], "\(String(decoding: bytes, as: UTF8.self))")
            }
        }
        #expect(try schema.objections(to: Array("{}".utf8)) != [], "a result has an outcome")
    }

    /// A worker of a shell writes its result by the generated message.
    @Test func theResultOfAShellsWorkerIsValid() throws {
        let schema = try SchemaTests.schema("worker.result")
        for outcome in Self.outcomes {
            var message = Flotilla_Worker_V1_WorkerResult()
            message.outcome = Flotilla_Outcome_V1_Outcome(outcome)
            for answer in [[:], ["verdict": "yes", "score": "7"]] {
                message.answer = answer
                let bytes: [UInt8] = try message.jsonUTF8Bytes()
                #expect(try schema.objections(to: bytes) == [], "\(String(decoding: bytes, as: UTF8.self))")
            }
        }
        #expect(try schema.objections(to: Array(#"{"outcome":{},"answer":{"a":1}}"#.utf8)) != [])
    }
}
