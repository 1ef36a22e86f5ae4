import Kafka
import WorkerKit

/// The text that is stored with a commit of a stream engine: whose it is, and what it speaks of.
///
/// `s2:`, the mark of cluster, topic and partition, the committed offset, a record before it (`Landmark`) or nothing, and
/// the engine's name and count. People and mirrors move offsets with the text that stands beside them; such a text speaks
/// of something else, and nothing may be believed because of it.
enum CommitStamp {
    private static let prefix = "s2:"

    static func text(
        _ position: TopicPartition,
        offset: Int64,
        after landmark: Landmark? = nil,
        of cluster: String,
        by signature: String
    ) -> String {
        let place = PartitionMark(clusterID: cluster, position).text
        return "\(self.prefix)\(place):\(offset):\(landmark?.text ?? ""):\(signature)"
    }

    /// Whether a text speaks of the commit that it stands beside; nil if it is no stamp, or one of an older version.
    static func fits(_ committed: CommittedPosition, of cluster: String) -> Bool? {
        guard let offset = committed.offset, committed.metadata.hasPrefix(self.prefix) else { return nil }
        let parts = self.parts(of: committed)
        guard parts.count >= 5 else { return false }
        return parts[1] == PartitionMark(clusterID: cluster, committed.partition).text
            && parts[2] == String(offset)
    }

    /// A record before the committed offset, if the text speaks of this commit and names one.
    static func landmark(of committed: CommittedPosition, in cluster: String) -> Landmark? {
        guard self.fits(committed, of: cluster) == true, let offset = committed.offset,
            let landmark = Landmark(self.parts(of: committed)[3]), landmark.offset < offset
        else { return nil }
        return landmark
    }

    private static func parts(of committed: CommittedPosition) -> [Substring] {
        committed.metadata.split(separator: ":", omittingEmptySubsequences: false)
    }
}
