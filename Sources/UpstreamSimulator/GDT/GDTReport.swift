/// A report whose signature was right. Its muid, time and type need not be.
package struct GDTReport: Hashable, Sendable {
    package var conversion: GDTConversion
    package var clickID: String
}

/// What an accepted report is counted under; a second one of the same kind is a duplicate.
package struct GDTConversion: Hashable, Sendable {
    package var appID: String
    package var muid: String
    package var conversionType: String

    package init(appID: String, muid: String, conversionType: String) {
        self.appID = appID
        self.muid = muid
        self.conversionType = conversionType
    }
}

/// The API's own opinion of a request, before any fault.
package struct GDTJudgement: Hashable, Sendable {
    package var ret: GDTRet
    /// Nil when the request did not get as far as a right signature.
    package var report: GDTReport?
}
