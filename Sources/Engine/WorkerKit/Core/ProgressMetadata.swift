package import ServiceKit
import WireFormats

/// The finished offsets beyond a committed offset, as the text that is stored with the commit.
///
/// The text names the partition and the offset that it belongs to, because people and mirrors move offsets
/// and keep the text: MirrorMaker 2 commits a translated offset with the metadata of the original
/// (apache/kafka, `Checkpoint.offsetAndMetadata`). A text that does not fit its commit is ignored. That
/// repeats work and loses nothing.
///
///     f3:<place>:<offset>:<landmark>:<newest>:<bitmap>[:<stamp>]
///
/// - place: The hash of cluster id, topic and partition (`PartitionMark`), 16 hexadecimal digits.
/// - offset: The committed offset.
/// - landmark: `offset@timestamp` of a record before the committed offset, or nothing. A topic that was
///   deleted and created again has another record there.
/// - newest: `offset@timestamp` of the newest record that was taken up, or nothing. A log that lost its end and
///   went on from there has another record there.
/// - bitmap: Base64; bit 0 (the lowest of the first byte) is the committed offset itself. It is Base64
///   because librdkafka before 2.6.1 reads metadata with zero bytes back wrong. The window of
///   `PartitionProgress` bounds it to 2,732 bytes, well under the 4,096 that a broker takes by default.
/// - stamp: A hexadecimal number, present where a transaction moves nothing else. It tells whether that
///   transaction was committed.
///
/// The form `f2:` has no newest record, and is read. The form `f1:` and the bitmap named neither place nor
/// offset. It is never safe to use, so it is ignored.
package struct ProgressMetadata: Hashable, Sendable {
    /// Why a text does not belong to the commit that it is stored with.
    package enum Misfit: String, Error, Hashable, Sendable {
        /// The text has another form: another program used this group id, or an earlier version that did not
        /// name the place.
        case unreadable
        /// The text is about another cluster, topic or partition.
        case otherPlace
        /// The text is about another offset: the offset was moved, and the text was kept.
        case otherOffset
    }

    /// The partition that the text belongs to.
    package var place: PartitionMark
    /// The committed offset.
    package var position: Int64
    /// A record before the committed offset; nil if the commit names none.
    package var landmark: Landmark?
    /// The newest record that was taken up; nil if the commit names none.
    package var newest: Landmark?
    /// The finished offsets from `position` on, oldest first.
    package var finished: [Int64]

    /// A number that tells this commit from others with the same content; nil if the commit needs none.
    package var stamp: UInt32?

    /// Makes the metadata of a commit at `position`. The offsets in `finished` ascend.
    package init(
        place: PartitionMark,
        position: Int64,
        finished: [Int64],
        landmark: Landmark? = nil,
        newest: Landmark? = nil,
        stamp: UInt32? = nil
    ) {
        self.place = place
        self.position = position
        self.finished = finished
        self.landmark = landmark
        self.newest = newest
        self.stamp = stamp
    }

    private static let prefix = "f3"
    private static let prefixWithoutNewest = "f2"
    private static let bytesLimit = 4_096

    /// The text to store with the commit; empty if there is nothing to say.
    package var text: String {
        guard !self.finished.isEmpty || self.landmark != nil || self.newest != nil || self.stamp != nil
        else { return "" }
        let stamp = self.stamp.map { ":" + String($0, radix: 16) } ?? ""
        let records = "\(self.landmark?.text ?? ""):\(self.newest?.text ?? "")"
        return "\(Self.prefix):\(self.place.text):\(self.position):\(records):\(self.bitmap)\(stamp)"
    }

    private var bitmap: String {
        guard let last = self.finished.last else { return "" }
        var bitmap = [UInt8](repeating: 0, count: Int(last - self.position) / 8 + 1)
        for offset in self.finished {
            let index = Int(offset - self.position)
            bitmap[index / 8] |= 1 << UInt8(index % 8)
        }
        return String(decoding: Base64.encode(bitmap), as: UTF8.self)
    }

    /// Reads a text that was stored with a commit of this partition at this position.
    ///
    /// - Throws: `Misfit` if the text does not belong to that commit. An empty text belongs to every commit.
    package init(_ text: String, at place: PartitionMark, from position: Int64) throws(Misfit) {
        self.init(place: place, position: position, finished: [])
        guard !text.isEmpty else { return }
        guard text.utf8.count <= Self.bytesLimit else { throw .unreadable }
        var parts = text.split(separator: ":", omittingEmptySubsequences: false)
        if parts[0] == Self.prefixWithoutNewest, parts.count >= 5 { parts.insert("", at: 4) }
        guard parts[0] == Self.prefix || parts[0] == Self.prefixWithoutNewest,
            parts.count == 6 || parts.count == 7, let offset = Int64(parts[2])
        else { throw .unreadable }
        guard parts[1] == place.text else { throw .otherPlace }
        guard offset == position else { throw .otherOffset }
        self.landmark = try Self.landmark(parts[3])
        self.newest = try Self.landmark(parts[4])
        if let landmark = self.landmark, landmark.offset >= position { throw .unreadable }
        // No record is taken up beyond the window, so nothing else can have been written.
        if let newest = self.newest, newest.offset - Int64(PartitionProgress.window) >= position {
            throw .unreadable
        }
        guard let finished = Self.finished(in: parts[5], from: position) else { throw .unreadable }
        self.finished = finished
        guard parts.count == 7 else { return }
        guard let stamp = UInt32(parts[6], radix: 16) else { throw .unreadable }
        self.stamp = stamp
    }

    private static func landmark(_ text: Substring) throws(Misfit) -> Landmark? {
        guard !text.isEmpty else { return nil }
        guard let landmark = Landmark(text), landmark.offset < .max else { throw .unreadable }
        return landmark
    }

    private static func finished(in text: Substring, from position: Int64) -> [Int64]? {
        guard let bitmap = Base64.decode(text.utf8), bitmap.count <= PartitionProgress.window / 8 else {
            return nil
        }
        var finished: [Int64] = []
        for (index, byte) in bitmap.enumerated() where byte != 0 {
            for bit in 0..<8 where byte & 1 << UInt8(bit) != 0 {
                let (offset, overflow) = position.addingReportingOverflow(Int64(index * 8 + bit))
                guard !overflow else { return nil }
                finished.append(offset)
            }
        }
        return finished
    }
}
