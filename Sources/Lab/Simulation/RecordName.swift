/// The partition and the offset at which a record of the input was published.
package struct RecordName: Hashable {
    package var partition: Int32
    package var offset: Int64

    /// Names the record at an offset of the input topic.
    package init(partition: Int32, offset: Int64) {
        self.partition = partition
        self.offset = offset
    }
}
