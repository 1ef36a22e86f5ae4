/// What a result record says beyond its outcome: which operation it was, and what came of it.
package struct DeviceCheckAnswer: Hashable, Sendable {
    package enum Result: String, Hashable, Sendable, CaseIterable {
        case state
        case notSet = "not_set"
        case updated
        case valid
        case invalidToken = "invalid_token"
        case expiredToken = "expired_token"
        case unavailable
        case superseded
    }

    package var result: Result
    package var header: DeviceCheckHeader
    /// With `state` and `updated`.
    package var bits: DeviceBits?
    package var lastUpdateMonth: String?
    /// Milliseconds.
    package var tokenAge: Int64?
    package var httpStatus: Int?
    package var appleRequestID: String?

    package init(
        _ result: Result,
        _ header: DeviceCheckHeader,
        bits: DeviceBits? = nil,
        lastUpdateMonth: String? = nil,
        tokenAge: Int64? = nil,
        httpStatus: Int? = nil,
        appleRequestID: String? = nil
    ) {
        self.result = result
        self.header = header
        self.bits = bits
        self.lastUpdateMonth = lastUpdateMonth
        self.tokenAge = tokenAge
        self.httpStatus = httpStatus
        self.appleRequestID = appleRequestID
    }

    /// An id as Apple sends it, for a result: nil for what is not 1 to 128 visible ASCII characters.
    package static func shownRequestID(_ header: String?) -> String? {
        guard let header, (1...128).contains(header.utf8.count), header.utf8.allSatisfy(\.isVisible) else {
            return nil
        }
        return header
    }
}
