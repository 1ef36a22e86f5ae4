import Foundation
import WireFormats

/// The record that an outcome or a dead letter is about, by the places that it names.
///
/// Workers pass the id of a replay on with the headers of a record. A publisher that copies a replayed record copies the
/// id too. So an outcome or a letter tells how a replay ended only if it is about the record that the replay sent.
///
/// A worker names the place where the record came in, also if it went through retry topics or was parked since. Two
/// workers send a record on and name the place before that in a header: the worker of push arrivals within its topic,
/// and the intake of activations in another topic.
struct SettledRecord: Codable, Hashable, Sendable {
    /// The topic of the record; empty if it is not named.
    var topic = ""
    /// The places of the record in that topic, as `topic/partition/offset`: where the worker has read it, and where it
    /// came in before it was sent on. Empty if only the topic is named.
    var places: [String] = []
    /// The place in another topic of the record that a worker made this one of; nil if no header names it.
    var origin: String?
    /// Whether another framework names the places. It may have read the record in a topic of its own, such as a retry topic.
    var isForeign = false

    /// The longest name of a topic in bytes, as Kafka has it.
    static let topicBytesLimit = 249
    /// More bytes than the numbers of a push event's first place take.
    private static let pushBytesLimit = 64

    /// A record of which nothing is named. It may be that of any replay.
    init() {}

    /// Takes the places from an outcome or a letter.
    ///
    /// - Parameters:
    ///   - origin: the value of the header `flotilla.origin`; nil without one.
    ///   - pushOrigin: the value of the header `flotilla.push.origin`; nil without one.
    ///   - isForeign: whether another framework than ours names the topic and the place.
    init(
        topic: String?,
        partition: Int32?,
        offset: Int64?,
        origin: [UInt8]?,
        pushOrigin: [UInt8]?,
        isForeign: Bool = false
    ) {
        guard let topic else { return }
        self.topic = topic
        self.isForeign = isForeign
        if let partition, let offset {
            self.places.append(RecordOrigin.place(topic, partition, offset: offset))
        }
        if let origin, origin.count <= RecordOrigin.bytesLimit, origin.allSatisfy(\.isVisible) {
            self.origin = String(decoding: origin, as: UTF8.self)
        }
        if let pushOrigin, pushOrigin.count <= Self.pushBytesLimit, pushOrigin.allSatisfy(\.isVisible) {
            let parts = String(decoding: pushOrigin, as: UTF8.self).split(separator: "/")
            if parts.count >= 2 { self.places.append("\(topic)/\(parts[0])/\(parts[1])") }
        }
    }

    /// Whether this may be the record that a replay sent.
    ///
    /// - Parameters:
    ///   - target: the topic that the replay sent its record to.
    ///   - place: the place of the record in `target`; nil if the ledger does not have it, as in entries of earlier
    ///     versions. Then the topic decides.
    func isOfReplay(to target: String, at place: String?) -> Bool {
        if self.topic.isEmpty { return true }
        if self.topic == target {
            guard let place, !self.places.isEmpty else { return true }
            return self.places.contains(place)
        }
        if self.isForeign { return true }
        guard let origin else { return false }
        return place.map { $0 == origin } ?? origin.hasPrefix("\(target)/")
    }
}

extension SettledRecord {
    /// Reads the text that `json` has made; nil for any other.
    init?(json: String) {
        guard let record = try? JSONDecoder().decode(Self.self, from: Data(json.utf8)) else { return nil }
        self = record
    }

    /// The text by which the index keeps a record until it reads the ledger's entry of the replay. Equal records have
    /// equal texts.
    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}
