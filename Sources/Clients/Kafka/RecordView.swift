internal import CRdKafka
internal import Glibc
package import Records

/// A record that is still in librdkafka's memory. Its fields can be looked at without copying the whole
/// record.
///
/// The view is lent to a closure and is invalid afterwards. The type is not copyable, so that the closure
/// cannot keep or return it.
@safe package struct RecordView: ~Copyable {
    private let message: UnsafeMutablePointer<rd_kafka_message_t>
    private let topic: String

    init(_ message: UnsafeMutablePointer<rd_kafka_message_t>, topic: String) {
        unsafe self.message = message
        self.topic = topic
    }

    /// The number of the record's partition.
    package var partition: Int32 { unsafe self.message.pointee.partition }

    /// The record's position in its partition.
    package var offset: Int64 { unsafe self.message.pointee.offset }

    /// The record's time in wall-clock milliseconds since 1970; nil if the record carries none.
    package var timestamp: Int64? {
        var type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE
        let timestamp = unsafe rd_kafka_message_timestamp(self.message, &type)
        return type == RD_KAFKA_TIMESTAMP_NOT_AVAILABLE || timestamp < 0 ? nil : timestamp
    }

    /// The length of the value in bytes; nil for a tombstone.
    package var valueByteCount: Int? {
        unsafe self.message.pointee.payload == nil ? nil : self.message.pointee.len
    }

    /// A copy of the key's bytes; nil if the record has no key.
    package var key: [UInt8]? {
        unsafe bytes(self.message.pointee.key, self.message.pointee.key_len)
    }

    /// Copies the whole record out of librdkafka's memory. The copy outlives librdkafka's message, and one
    /// slow record does not keep its whole fetched batch in memory.
    package func copy() -> InboundRecord {
        InboundRecord(
            topic: self.topic,
            partition: self.partition,
            offset: self.offset,
            timestamp: self.timestamp,
            key: self.key,
            value: unsafe bytes(self.message.pointee.payload, self.message.pointee.len),
            headers: self.headers
        )
    }

    private var headers: [RecordHeader] {
        var headers: [RecordHeader] = []
        unsafe self.eachHeader { name, value in
            headers.append(
                RecordHeader(unsafe String(cString: name), unsafe value.map { unsafe Array($0) })
            )
        }
        return headers
    }

    /// Replaces the content of a block by the headers of this record.
    package func readHeaders(into block: inout HeaderBlock) {
        block.removeAll()
        unsafe self.eachHeader { name, value in
            let start = block.bytes.count
            unsafe block.bytes.append(
                contentsOf: UnsafeRawBufferPointer(start: UnsafeRawPointer(name), count: strlen(name))
            )
            let end = block.bytes.count
            guard let value = unsafe value else {
                return block.entries.append(.init(name: start..<end, value: nil))
            }
            unsafe block.bytes.append(contentsOf: value)
            block.entries.append(.init(name: start..<end, value: end..<block.bytes.count))
        }
    }

    private func eachHeader(_ take: (UnsafePointer<CChar>, UnsafeRawBufferPointer?) -> Void) {
        var list: OpaquePointer?
        guard unsafe rd_kafka_message_headers(self.message, &list) == RD_KAFKA_RESP_ERR_NO_ERROR,
            let list = unsafe list
        else { return }
        var index = 0
        var name: UnsafePointer<CChar>?
        var value: UnsafeRawPointer?
        var size = 0
        while unsafe rd_kafka_header_get_all(list, index, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR
        {
            index += 1
            guard let name = unsafe name else { continue }
            let size = size
            unsafe take(name, value.map { unsafe UnsafeRawBufferPointer(start: $0, count: size) })
        }
    }
}

private func bytes(_ start: UnsafeRawPointer?, _ count: Int) -> [UInt8]? {
    unsafe start.map { unsafe Array(UnsafeRawBufferPointer(start: $0, count: count)) }
}
