internal import WireFormats

/// What is finished beyond a committed offset, as the text that is stored with the commit.
///
/// `f1:` and the base64 of a bitmap whose bit 0 (the lowest of the first byte) is the committed offset itself.
/// Base64 because librdkafka before 2.6.1 reads metadata with zero bytes back wrong. The window of
/// `PartitionProgress` bounds it to 2,735 bytes, well under the 4,096 that a broker takes by default.
package enum ProgressMetadata {
    private static let prefix = "f1:"

    package static func encode(_ finished: [Int64], beyond position: Int64) -> String {
        guard let last = finished.last else { return "" }
        var bitmap = [UInt8](repeating: 0, count: Int(last - position) / 8 + 1)
        for offset in finished {
            let index = Int(offset - position)
            bitmap[index / 8] |= 1 << UInt8(index % 8)
        }
        return self.prefix + String(decoding: Base64.encode(bitmap), as: UTF8.self)
    }

    /// - Returns: nil if somebody else wrote this: a group id that was used by another program before.
    package static func decode(_ text: String, from position: Int64) -> [Int64]? {
        guard !text.isEmpty else { return [] }
        guard text.hasPrefix(self.prefix), text.utf8.count <= 4_096 else { return nil }
        guard let bitmap = Base64.decode(text.dropFirst(self.prefix.count).utf8) else { return nil }
        guard bitmap.count <= PartitionProgress.window / 8 else { return nil }
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
