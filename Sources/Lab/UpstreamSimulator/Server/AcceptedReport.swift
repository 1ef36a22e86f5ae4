/// The number of times that one conversion was accepted.
package struct AcceptedReport: Codable, Hashable, Sendable {
    /// The app's id in the path of the requests.
    package var appID: String
    /// The hashed id of the device.
    package var muid: String
    /// The conversion type in the field `conv_type`.
    package var conversionType: String
    /// The number of accepted reports; more than one means duplicates.
    package var count: Int

    package init(appID: String, muid: String, conversionType: String, count: Int) {
        self.appID = appID
        self.muid = muid
        self.conversionType = conversionType
        self.count = count
    }

    private enum CodingKeys: String, CodingKey {
        case appID = "app_id"
        case muid
        case conversionType = "conversion_type"
        case count
    }
}

extension GDTLedger {
    /// All accepted conversions, in an order that does not depend on the run.
    var acceptedReports: [AcceptedReport] {
        self.accepted
            .map { conversion, count in
                AcceptedReport(
                    appID: conversion.appID,
                    muid: conversion.muid,
                    conversionType: conversion.conversionType,
                    count: count
                )
            }
            .sorted { ($0.appID, $0.muid, $0.conversionType) < ($1.appID, $1.muid, $1.conversionType) }
    }
}
