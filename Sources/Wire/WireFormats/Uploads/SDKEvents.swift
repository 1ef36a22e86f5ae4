/// The events of one upload, in its order.
package struct SDKEvents: RandomAccessCollection, Sendable {
    private let source: SDKEvent.Source
    /// For each event, the range of its fields.
    private let ranges: [Range<Int>]

    init(_ source: SDKEvent.Source, _ ranges: [Range<Int>]) {
        self.source = source
        self.ranges = ranges
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { self.ranges.count }

    package subscript(index: Int) -> SDKEvent { SDKEvent(self.source, self.ranges[index]) }
}
