@testable import Kafka

extension PartitionList {
    /// What a list says that was made of these.
    static func roundTrip(_ positions: [CommittedPosition]) -> [CommittedPosition] {
        let list = PartitionList(positions)
        return unsafe self.entries(of: list.list).map(\.position)
    }
}
