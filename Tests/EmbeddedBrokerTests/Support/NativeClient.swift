import CRdKafka

/// An error as librdkafka states it.
struct NativeError: Error, Equatable {
    var name: String
    var isFatal = false
    /// The transaction can only be aborted.
    var mustAbort = false

    init(_ code: rd_kafka_resp_err_t) { self.name = unsafe String(cString: rd_kafka_err2name(code)) }

    /// Throws unless `error` is nil, and destroys it either way.
    static func check(consuming error: OpaquePointer?) throws {
        guard let error = unsafe error else { return }
        defer { unsafe rd_kafka_error_destroy(error) }
        var failure = NativeError(unsafe rd_kafka_error_code(error))
        failure.isFatal = unsafe rd_kafka_error_is_fatal(error) != 0
        failure.mustAbort = unsafe rd_kafka_error_txn_requires_abort(error) != 0
        throw failure
    }

    static func check(_ code: rd_kafka_resp_err_t) throws {
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw NativeError(code) }
    }
}

/// librdkafka itself, for what our own client does not do: transactions, and dying without a word.
@safe class NativeClient {
    let handle: OpaquePointer
    private var isGone = false

    init(_ type: rd_kafka_type_t, _ properties: [String: String]) throws {
        let conf = unsafe rd_kafka_conf_new()
        for (name, value) in properties.merging(["log_level": "0"], uniquingKeysWith: { first, _ in first }) {
            let result = unsafe rd_kafka_conf_set(conf, name, value, nil, 0)
            precondition(result == RD_KAFKA_CONF_OK, "no property \(name) = \(value)")
        }
        guard let handle = unsafe rd_kafka_new(type, conf, nil, 0) else {
            unsafe rd_kafka_conf_destroy(conf)
            throw NativeError(rd_kafka_last_error())
        }
        unsafe self.handle = handle
    }

    deinit { self.vanish() }

    /// Ends without leaving its group or saying anything else, as kill -9 would.
    func vanish() {
        guard !self.isGone else { return }
        self.isGone = true
        unsafe rd_kafka_destroy_flags(self.handle, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE)
    }
}

/// librdkafka's list of partitions with their offsets.
@safe final class NativePartitions {
    let list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>

    init(_ entries: [(topic: String, partition: Int32, offset: Int64, metadata: String)]) {
        unsafe self.list = rd_kafka_topic_partition_list_new(Int32(entries.count))
        for (topic, partition, offset, metadata) in entries {
            guard let entry = unsafe rd_kafka_topic_partition_list_add(self.list, topic, partition) else {
                continue
            }
            unsafe entry.pointee.offset = offset
            guard !metadata.isEmpty else { continue }
            let bytes = Array(metadata.utf8)
            // librdkafka frees it with the list.
            let copy = unsafe rd_kafka_mem_malloc(nil, bytes.count)
            unsafe bytes.withUnsafeBytes { source in
                guard let copy = unsafe copy, let start = source.baseAddress else { return }
                unsafe copy.copyMemory(from: start, byteCount: source.count)
            }
            unsafe entry.pointee.metadata = copy
            unsafe entry.pointee.metadata_size = bytes.count
        }
    }

    init(owning list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>) { unsafe self.list = list }

    deinit { unsafe rd_kafka_topic_partition_list_destroy(self.list) }

    var partitions: [Int32] {
        unsafe (0..<Int(self.list.pointee.cnt)).map { unsafe self.list.pointee.elems[$0].partition }
    }
}
