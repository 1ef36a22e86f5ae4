/// A report whose signature was valid. Its muid, time and conversion type may still be invalid.
package struct GDTReport: Hashable, Sendable {
    /// The conversion that the report states.
    package var conversion: GDTConversion
    /// The click id; empty if the report has none.
    package var clickID: String
}

/// The key under which accepted reports are counted. A second accepted report with the same key is a
/// duplicate.
package struct GDTConversion: Hashable, Sendable {
    /// The app's id in the path of the request.
    package var appID: String
    /// The hashed id of the device, in 32 hexadecimal digits if it is valid.
    package var muid: String
    /// The conversion type in the field `conv_type`.
    package var conversionType: String

    package init(appID: String, muid: String, conversionType: String) {
        self.appID = appID
        self.muid = muid
        self.conversionType = conversionType
    }
}

/// The API's own decision about a request, before any fault.
package struct GDTJudgement: Hashable, Sendable {
    /// The code to respond with.
    package var ret: GDTRet
    /// The report; nil if the request failed before or at the check of its signature.
    package var report: GDTReport?
}
