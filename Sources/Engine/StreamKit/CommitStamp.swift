import Kafka
import ServiceKit

/// The text that is stored with a commit of a stream engine. It tells which engine made the commit, and what
/// the commit is about.
///
///     s2:<place>:<offset>:<landmark>:<name>:<count>
///
/// - place: The mark of cluster, topic and partition (`PartitionMark`).
/// - offset: The committed offset.
/// - landmark: A record before the committed offset (`Landmark`), or nothing.
/// - name and count: The name of the engine, and the number of the commit.
///
/// People and mirrors move offsets together with the text that stands beside them. Such a text is about
/// another commit, so nothing may be concluded from it.
package enum CommitStamp {
    private static let prefix = "s2:"

    /// Returns the text of a commit.
    ///
    /// - Parameter signature: The name of the engine and the number of the commit, as `name:count`.
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

    /// Returns whether a text is about the commit that it stands beside; nil if it is no stamp, or one of an
    /// older version.
    static func fits(_ committed: CommittedPosition, of cluster: String) -> Bool? {
        guard let offset = committed.offset, committed.metadata.hasPrefix(self.prefix) else { return nil }
        let parts = self.parts(of: committed)
        guard parts.count >= 5 else { return false }
        return parts[1] == PartitionMark(clusterID: cluster, committed.partition).text
            && parts[2] == String(offset)
    }

    /// Returns the landmark before the committed offset; nil if the text is about another commit, or names no
    /// landmark.
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
