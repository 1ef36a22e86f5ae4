/// The platform of an app; the raw values are GDT's spelling.
package enum AppType: String, Hashable, Sendable, CaseIterable {
    case ios = "IOS"
    case android = "ANDROID"
    /// An Android app that is promoted through Tencent's mobile union, which gives the app its id.
    case unionAndroid = "UNIONANDROID"

    /// Reads an app type in any case: GDT's own click feed writes lower case and expects upper case back.
    package init?(inAnyCase text: String) {
        if let exact = Self(exactly: text) {
            self = exact
            return
        }
        let match = Self.allCases.first { $0.rawValue.utf8.elementsEqual(text.utf8.lazy.map(\.uppercased)) }
        guard let match else { return nil }
        self = match
    }
}
