@testable import Kafka
@testable import ServiceKit
@testable import WorkerKit

extension FuzzTarget {
    /// A committed offset, and the metadata that stands beside it.
    static let progressMetadata = FuzzTarget(
        "progress-metadata",
        longestInput: 4_200,
        words: ["f2:", Self.place.text, "7@1700000000000:", "9223372036854775807", "AAAA", "gA=="]
    ) { input in
        var reader = InputReader(input)
        // A broker's offsets are never negative: what is, librdkafka gives as none.
        let position = max(0, reader.number(or: 0) as Int64)
        let text = reader.remainingText()
        try ProgressClaims.check(gaps: Array(text.utf8), after: position)
        guard let metadata = try? ProgressMetadata(text, at: Self.place, from: position) else { return }
        let finished = metadata.finished
        try claim("offsets come in order", zip(finished, finished.dropFirst()).allSatisfy { $0 < $1 })
        try claim("offsets are not below the position", (finished.first ?? position) >= position)
        try claim("offsets lie in the window", finished.count <= PartitionProgress.window)
        let written = metadata.text
        try claim("a broker takes what is written", written.utf8.count <= 4_096)
        try claim(
            "what is written is read as the same",
            (try? ProgressMetadata(written, at: Self.place, from: position)) == metadata
        )
        try ProgressClaims.check(position, finished)
    }

    fileprivate static let place = PartitionMark(
        clusterID: "fuzzed",
        TopicPartition(topic: "activation", partition: 3)
    )

    /// Lines of `partition offset topic metadata`, through librdkafka's list and back.
    static let partitionList = FuzzTarget("partition-list", words: [" -1001 ", "activation", "f1:"]) {
        input in
        var reader = InputReader(input)
        var positions: [CommittedPosition] = []
        while !reader.rest.isEmpty {
            let words = reader.text().split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
            guard words.count == 4, let partition = Int32(words[0]) else { continue }
            // A string in C ends with its first zero; a topic's name is checked long before.
            let topic = words[2].prefix { $0 != "\0" }
            positions.append(
                CommittedPosition(
                    partition: TopicPartition(topic: String(topic), partition: partition),
                    offset: Int64(words[1]).flatMap { $0 < 0 ? nil : $0 },
                    metadata: String(words[3])
                )
            )
        }
        try claim("a list says what it was given", PartitionList.roundTrip(positions) == positions)
    }
}

private enum ProgressClaims {
    /// Offsets that lie as far apart as the bytes say, written and read again.
    static func check(gaps: [UInt8], after position: Int64) throws {
        var offsets: [Int64] = []
        var next = position
        for gap in gaps {
            let (offset, overflow) = next.addingReportingOverflow(Int64(gap))
            guard !overflow, offset < .max, offset - position < Int64(PartitionProgress.window) else { break }
            offsets.append(offset)
            next = offset + 1
        }
        let metadata = ProgressMetadata(place: FuzzTarget.place, position: position, finished: offsets)
        try claim(
            "what is finished is remembered",
            (try? ProgressMetadata(metadata.text, at: FuzzTarget.place, from: position)) == metadata
        )
    }

    /// Takes up the offsets after a position as a worker would, and settles them in the wrong order.
    static func check(_ position: Int64, _ finished: [Int64]) throws {
        // No record has the largest offset: there would be none to commit after it.
        let known = finished.filter { $0 < .max }
        var progress = PartitionProgress(position: position, finishedBeyond: finished)
        try claim("what was finished is remembered", progress.finishedBeyondPosition == known)
        let taken = (0..<24).map { position.addingReportingOverflow($0) }.filter { !$0.overflow }.map(
            \.partialValue
        )
        .filter { $0 < .max }
        var open: [Int64] = []
        for offset in taken where progress.hasRoom(for: offset) {
            switch progress.begin(offset) {
            case .alreadyFinished: try claim("only what was finished is skipped", known.contains(offset))
            case .unfinished:
                try claim("what was finished is skipped", !known.contains(offset))
                open.append(offset)
            }
        }
        for offset in open.reversed() { progress.finish(offset) }
        try claim("what is finished is committed", taken.allSatisfy { $0 < progress.position })
    }
}
