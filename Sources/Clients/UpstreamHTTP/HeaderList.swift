internal import CCurl

/// The header lines of a request, in the list that libcurl reads while it sends. The list is freed with this
/// value.
@safe struct HeaderList: ~Copyable {
    private(set) var head: UnsafeMutablePointer<curl_slist>?

    init() { unsafe self.head = nil }

    deinit { unsafe curl_slist_free_all(self.head) }

    /// Fills an empty list.
    ///
    /// The list first switches off the fields that libcurl would add by itself although HTTP does not require
    /// them. A field of that name in `headers` is sent all the same.
    ///
    /// - Throws: an error for the first header that must not be sent, or if memory runs out.
    mutating func fill(_ headers: [HTTPHeader]) throws(TransferError) {
        for silenced in ["Accept:", "Content-Type:", "Expect:"] {
            try unsafe self.append(silenced)
        }
        var line: [CChar] = []
        for header in headers {
            if let reason = header.refusal {
                throw .refused(reason)
            }
            line.removeAll(keepingCapacity: true)
            line.append(contentsOf: header.name.utf8.lazy.map { CChar(bitPattern: $0) })
            // If the value is empty, the line "name:" would make libcurl remove the field; the line "name;"
            // makes it send the field with an empty value.
            let isEmpty = header.value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
            line.append(CChar(bitPattern: UInt8(ascii: isEmpty ? ";" : ":")))
            if !isEmpty {
                line.append(0x20)
                line.append(contentsOf: header.value.utf8.lazy.map { CChar(bitPattern: $0) })
            }
            line.append(0)
            try unsafe self.append(line)
        }
    }

    /// Appends a line, which libcurl copies.
    private mutating func append(_ line: UnsafePointer<CChar>) throws(TransferError) {
        guard let longer = unsafe curl_slist_append(self.head, line) else {
            throw .refused("no memory for a header")
        }
        unsafe self.head = longer
    }
}
