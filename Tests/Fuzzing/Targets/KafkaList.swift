@testable import Kafka

extension PartitionList {
    /// The positions that a list states when it was made of these.
    static func roundTrip(_ positions: [CommittedPosition]) -> [CommittedPosition] {
        let list = PartitionList(positions)
        return unsafe self.entries(of: list.list).map(\.position)
    }
}
