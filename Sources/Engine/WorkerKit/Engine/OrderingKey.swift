/// The key of an order: records with equal keys are worked on one after the other.
package struct OrderingKey: Hashable, Sendable {
    var partition: Int32
    /// The key of the records; nil if all records of the partition are in one order.
    var key: [UInt8]?
}
