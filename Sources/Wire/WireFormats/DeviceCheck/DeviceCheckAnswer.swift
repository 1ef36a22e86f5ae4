/// The part of a result record beyond its outcome: which operation it was, and how it ended.
package struct DeviceCheckAnswer: Hashable, Sendable {
    /// How an operation ended; the raw value is the word in the result.
    package enum Result: String, Hashable, Sendable, CaseIterable {
        /// Apple returned the bits.
        case state
        /// No bits have ever been set for this device.
        case notSet = "not_set"
        /// The bits are now those of `bits`.
        case updated
        /// The token is one of a real device.
        case valid
        /// The record has no usable token, or Apple refused its token while it was fresh.
        case invalidToken = "invalid_token"
        /// The token had grown old, or had been used. This says nothing against the device.
        case expiredToken = "expired_token"
        /// Apple gave no usable answer while the token was fresh, or another field that a device chose is
        /// wrong. Nothing is known about the device.
        case unavailable
        /// A newer update of the same subject overtook this update, which was not sent.
        case superseded
    }

    /// How the operation ended.
    package var result: Result
    /// The fields that the result repeats of the record.
    package var header: DeviceCheckHeader
    /// The bits; set only with `state` and `updated`.
    package var bits: DeviceBits?
    /// The month of the last update as `YYYY-MM` in UTC; only with `state`, if Apple names it.
    package var lastUpdateMonth: String?
    /// The token's age when the worker decided, in milliseconds; nil if it is unknown.
    package var tokenAge: Int64?
    /// The HTTP status of Apple's last answer.
    package var httpStatus: Int?
    /// The id of Apple's last answer, which Apple's support asks for.
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

    /// Returns the id that Apple sent in a header, for a result; nil unless it is 1 to 128 visible ASCII
    /// characters.
    package static func shownRequestID(_ header: String?) -> String? {
        guard let header, (1...128).contains(header.utf8.count), header.utf8.allSatisfy(\.isVisible) else {
            return nil
        }
        return header
    }
}
