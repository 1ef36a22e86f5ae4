import ArgumentParser
import Foundation
import ServiceKit
import Terminal
import Testing
import WorkerTestSupport

@testable import Fleet

/// The worker of `fleet try`, the programs that it needs, and the topic of `fleet publish`.
struct TryOptionsTests {
    @Test(arguments: ["activation", "devicecheck", "receipt", "push-arrival"])
    func aWorkerIsNamedByItsTopicOrItsProgram(topic: String) throws {
        for name in [topic, "\(topic)-worker"] {
            let options = try TryOptions.parse([name, "--keep"])
            #expect(try options.identity.topic == topic)
            #expect(options.words == [name, "--keep"])
        }
        #expect(try TryOptions.parse([topic]).words == [topic])
    }

    @Test func anUnknownWorkerIsToldWithThoseThatThereAre() {
        let error = #expect(throws: (any Error).self) { try TryOptions.parse(["gateway"]) }
        let text = error.map { TryOptions.message(for: $0) } ?? ""
        #expect(text.contains("No worker is called 'gateway'; there are: activation, devicecheck, receipt,"))
    }

    @Test func aProgramIsTakenFromTheFirstFolderThatHasIt() throws {
        let (first, second) = (try TemporaryFolder(), try TemporaryFolder())
        let program = try second.write("#!/bin/sh\n", to: "flotilla-lab")
        // A file that cannot be run is no program, and a relative folder is not looked into.
        let folders = ["bin", first.path, second.path]
        #expect(Sibling.find("flotilla-lab", in: folders) == nil)
        #expect(unsafe chmod(program.path, 0o700) == 0)
        #expect(Sibling.find("flotilla-lab", in: folders) == program.path)
        #expect(Sibling.find("flotilla-lab", in: ["bin"]) == nil)
    }

    @Test func aMissingTopicIsToldInOneLineWithTheCommandThatMakesIt() {
        let topic = PublishedTopic(
            name: "activaton",
            partitions: 4,
            properties: ["bootstrap.servers": "kafka:9092", "sasl.password": "secret"]
        )
        #expect(topic.absence.contains("the topic 'activaton' does not exist"))
        #expect(topic.absence.hasSuffix(": fleet publish activaton --brokers kafka:9092 --create"))
        #expect(!topic.absence.contains("\n") && !topic.absence.contains("secret"))
    }
}
