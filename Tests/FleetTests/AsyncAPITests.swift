import ActivationIntake
import Foundation
import Operations
import Records
import ServiceKit
import StreamKit
import Testing
import WireFormats
import WorkerKit
import WorkerTestSupport

@testable import Fleet

/// The document of all topics says what the programs do. `Deploy/test-contract` checks its form.
struct AsyncAPITests {
    private struct Document: Decodable {
        struct Reference: Decodable {
            var place: String

            private enum CodingKeys: String, CodingKey {
                case place = "$ref"
            }

            /// The last part of the place.
            var name: String { self.place.split(separator: "/").last.map(String.init) ?? "" }
        }

        struct Channel: Decodable {
            struct Bindings: Decodable {
                struct Kafka: Decodable {
                    struct Configuration: Decodable {
                        var policy: [String]

                        private enum CodingKeys: String, CodingKey {
                            case policy = "cleanup.policy"
                        }
                    }

                    var topicConfiguration: Configuration
                }

                var kafka: Kafka
            }

            var address: String
            var messages: [String: Reference]
            var bindings: Bindings
        }

        struct Message: Decodable {
            var headers: Reference
        }

        struct Headers: Decodable {
            var properties: [String: Property]
        }

        struct Property: Decodable {}

        struct Components: Decodable {
            var messages: [String: Message]
            var schemas: [String: Headers]
        }

        var channels: [String: Channel]
        var components: Components

        /// The headers of a message.
        func headers(of message: String) -> Set<String> {
            let name = self.components.messages[message]?.headers.name
            let schema = name.flatMap { self.components.schemas[$0] }
            return Set(schema?.properties.keys.map { $0 } ?? [])
        }
    }

    private let document: Document

    init() throws {
        let file = Documents.root.appending(path: "Schemas/asyncapi.json")
        self.document = try JSONDecoder().decode(Document.self, from: Data(contentsOf: file))
    }

    private static func reader(_ text: String = "") throws -> SettingsReader {
        SettingsReader(
            file: try SettingsFile(text: "kafka: {brokers: \"b:1\"}\n" + text, path: "w.yaml"),
            overrides: []
        )
    }

    /// The topics that the programs want, each with all that they may use.
    private static func wanted() throws -> [WantedTopic] {
        let calls = try [Roster.activation, Roster.deviceCheck, Roster.receipt].flatMap { worker in
            let settings = WorkerSettings(
                try self.reader("worker: {ordering: none}\nretry: {topics: \"1m\"}\n"),
                worker
            )
            return WantedTopic.topics(of: PreflightCommand.check(settings, worker))
        }
        let intake = "sdk: {events_topic: sdk-events}\nattribution: {report: match}\n"
        let push = PushPreflight(try self.reader("forward: {enabled: true}\n"), Roster.pushArrival).wanted
        return calls + WantedTopic.topics(of: IntakeSettings(try self.reader(intake))) + push
    }

    @Test func everyTopicIsThereWithItsPolicy() throws {
        let channels = self.document.channels.values
        var found: Set<String> = []
        for topic in try Self.wanted() {
            let isRetry = topic.role == "retry"
            let address = isRetry ? topic.name.replacing(".retry.1m", with: ".retry.{delay}") : topic.name
            let channel = try #require(channels.first { $0.address == address }, "\(topic.name)")
            found.insert(address)
            let policy = channel.bindings.kafka.topicConfiguration.policy
            switch topic.settings.first(where: { $0.name == "cleanup.policy" })?.value {
            case .exactly(let value): #expect(policy == [value], "\(topic.name)")
            case .including(let value, _): #expect(policy.contains(value), "\(topic.name)")
            default: break
            }
        }
        let others = Set(channels.map(\.address)).subtracting(found)
        #expect(
            others == [
                "dead-letters.ledger", "dead-letters.audit", "push-arrival.forward.result",
                "push-arrival.forward.dead-letter",
            ]
        )
    }

    @Test(arguments: Roster.workers)
    func everyFateOfAnOutcomeIsAMessage(worker: WorkerIdentity) throws {
        let channel = try #require(self.document.channels.values.first { $0.address == worker.resultTopic })
        let name = channel.address.replacing(".", with: "_")
        let fates = Outcome.Fate.allCases.map { "\(name)_\($0.rawValue)" }
        #expect(Set(channel.messages.keys) == Set(fates + ["\(name)_protobuf"]))
    }

    @Test func everyHeaderOfAnOutcomeIsThere() {
        let told: Set = [
            "content-type", "traceparent", "tracestate", ReplayHeader.replayID, UnknownFields.header,
            OutboundRecord.keyOmittedHeader, "outcome.answer_omitted", RecordOrigin.header,
            RecordOrigin.eventHeader, "ce_specversion", "ce_source", "ce_type", "ce_time", "ce_causationid",
        ]
        let outcome = self.document.headers(of: "activation_result_succeeded")
        #expect(outcome == told.union(RecordOrigin.publisherHeaders))
        let push = self.document.headers(of: "push-arrival_result_succeeded")
        #expect(push.subtracting(outcome) == ["flotilla.push.origin"])
    }

    /// A client that is made of the document can delay a record.
    @Test func everyHeaderOfARecordIsThere() throws {
        let carried: [(channel: String, header: String)] =
            ["activation", "activation_due", "devicecheck", "receipt", "activation_retry"].map {
                ($0, NotBefore.header)
            } + [
                ("activation-click", AdClick.clientIPHeader),
                ("activation_home_changelog", StateSpread.headerName),
                ("push-arrival_changelog", StateSpread.headerName),
                ("push-arrival_parts", StateSpread.headerName),
                ("sdk-upload", SDKUploadRequest.targetHeader),
            ]
        for (name, header) in carried {
            let channel = try #require(self.document.channels[name], "\(name)")
            for message in channel.messages.values {
                #expect(self.document.headers(of: message.name).contains(header), "\(name) \(header)")
            }
        }
        let counted = try #require(self.document.channels["push-arrival"]).messages.values
        #expect(!counted.contains { self.document.headers(of: $0.name).contains(NotBefore.header) })
    }

    @Test func everyHeaderOfADeadLetterIsThere() {
        let headers = self.document.headers(of: "activation_dead-letter_letter")
        let ours = headers.filter { $0.hasPrefix("dlq.") || $0.hasPrefix("__dlq.") }
        let replay = [
            ReplayHeader.letterID, ReplayHeader.replayID, ReplayHeader.count, ReplayHeader.edited,
        ]
        #expect(ours == DeadLetterNotice.headerNames.union(replay))
    }
}
