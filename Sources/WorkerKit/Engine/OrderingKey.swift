/// What orders a record among others.
package struct OrderingKey: Hashable, Sendable {
    var partition: Int32
    /// Nil where the whole partition is one order.
    var key: [UInt8]?
}
