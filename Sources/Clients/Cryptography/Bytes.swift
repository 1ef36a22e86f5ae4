extension [UInt8] {
    /// Makes an array of the bytes that a body appends, of which there are at most as many as it has room for.
    ///
    /// The library's own `init(capacity:)` asks the runtime for the type of the array's memory, which costs as much
    /// as to fill a hundred bytes.
    @inlinable
    package init(room: Int, _ fill: (inout OutputSpan<UInt8>) -> Void) {
        self.init()
        self.append(addingCapacity: room, initializingWith: fill)
    }
}
