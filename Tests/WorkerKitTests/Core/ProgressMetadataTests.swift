import Kafka
import ServiceKit
import Testing
import WorkerKit

extension PartitionMark {
    static let test = PartitionMark(clusterID: "c", TopicPartition(topic: "activation", partition: 3))
}

struct ProgressMetadataTests {
    private static func read(_ text: String, from position: Int64) -> Result<
        ProgressMetadata, ProgressMetadata.Misfit
    > {
        Result { () throws(ProgressMetadata.Misfit) in try ProgressMetadata(text, at: .test, from: position) }
    }

    @Test func fitsTheBrokersLimitAtItsWorst() throws {
        let position = Int64.max - Int64(PartitionProgress.window) - 1
        let last = position + Int64(PartitionProgress.window) - 1
        let landmark = Landmark(offset: position - 1, timestamp: .min)
        let newest = Landmark(offset: last, timestamp: .min)
        for finished in [[last], Array(position...last)] {
            let metadata = ProgressMetadata(
                place: .test,
                position: position,
                finished: finished,
                landmark: landmark,
                newest: newest,
                stamp: .max
            )
            #expect(metadata.text.utf8.count <= 4_096)
            #expect(metadata.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
            #expect(Self.read(metadata.text, from: position) == .success(metadata))
        }
    }

    @Test func saysNothingWhereThereIsNothingToSay() {
        let nothing = ProgressMetadata(place: .test, position: 7, finished: [])
        #expect(nothing.text == "")
        #expect(Self.read("", from: 7) == .success(nothing))
    }

    /// MirrorMaker 2 and people who reset offsets commit another offset with the same text: 40 records were skipped.
    @Test func isIgnoredWithAnotherOffset() {
        let text = ProgressMetadata(place: .test, position: 20, finished: [21, 22, 60]).text
        #expect(Self.read(text, from: 10) == .failure(.otherOffset))
        #expect(Self.read(text, from: 21) == .failure(.otherOffset))
    }

    @Test func isIgnoredInAnotherPartitionTopicOrCluster() {
        for place in [
            PartitionMark(clusterID: "c", TopicPartition(topic: "activation", partition: 4)),
            PartitionMark(clusterID: "c", TopicPartition(topic: "receipt", partition: 3)),
            PartitionMark(clusterID: "d", TopicPartition(topic: "activation", partition: 3)),
        ] {
            let text = ProgressMetadata(place: place, position: 20, finished: [21]).text
            #expect(Self.read(text, from: 20) == .failure(.otherPlace))
        }
    }

    /// A worker of the version before may have made the commit.
    @Test(arguments: ["", ":2a"]) func theFormWithoutANewestRecordIsRead(stamp: String) {
        let text = "f2:\(PartitionMark.test.text):20:15@1700:AQ==\(stamp)"
        let landmark = Landmark(offset: 15, timestamp: 1_700)
        let metadata = ProgressMetadata(
            place: .test,
            position: 20,
            finished: [20],
            landmark: landmark,
            stamp: stamp.isEmpty ? nil : 42
        )
        #expect(Self.read(text, from: 20) == .success(metadata))
    }

    /// The first form named neither place nor offset.
    @Test(arguments: ["f1:Ag==", "f1:", "f1:AAAA"])
    func theOldFormIsNotRead(text: String) { #expect(Self.read(text, from: 0) == .failure(.unreadable)) }

    @Test(arguments: [
        "x", "lAAAA", "f2", "f2:AAAA", "f2:P:0::!!!!", "f2:P:0::A", "f2:P:0:", "f2:P:0:::", "f2:P:0:5@1:",
        "f2:P:0:x:", "f3:P:0::", "f3:P:0:::::", "f3:P:0:::x", "f3:P:0:::A", "f3:P:0::x:", "f3:P:0::::x",
        "f3:P:0::-1@5:", "f3:P:0::9223372036854775807@1:", "f3:P:0:::::1", "f3", "f4:P:0:::",
        "f2:P:0:-1@5:AA==", "f2:P::AA==", String(repeating: "A", count: 5_000),
        "f2:P:0::" + String(repeating: "A", count: 4_000), "f2:\u{301}",
    ])
    func anothersMetadataIsNotReadAsOurs(text: String) {
        let text = text.replacing("P", with: PartitionMark.test.text)
        #expect(Self.read(text, from: 0) == .failure(.unreadable))
    }

    /// A worker would wait for such a record with its window full.
    @Test func aNewestRecordBeyondTheWindowIsNotRead() {
        let place = PartitionMark.test.text
        let window = Int64(PartitionProgress.window)
        for (newest, isRead) in [
            (19, true), (20 + window - 1, true), (20 + window, false), (.max - 1, false),
        ] {
            let text = "f3:\(place):20::\(newest)@1700:"
            #expect(
                (try? ProgressMetadata(text, at: .test, from: 20)).map { $0.newest?.offset == newest }
                    == (isRead ? true : nil)
            )
        }
    }

    @Test func offsetsBeyondTheLargestAreNotRead() {
        let position = Int64.max - 2
        let text = "f2:\(PartitionMark.test.text):\(position)::/w=="
        #expect(Self.read(text, from: position) == .failure(.unreadable))
    }
}
