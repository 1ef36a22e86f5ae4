import Foundation

/// The settings that Deploy/test-pages passes on: where chromedriver is, and where pictures go, if anybody
/// wants some.
package enum BrowserSetting {
    package static let driver = ProcessInfo.processInfo.environment["FLOTILLA_CHROMEDRIVER"]
    package static let screenshots = ProcessInfo.processInfo.environment["FLOTILLA_SCREENSHOTS"]
}

extension Browser {
    /// Drives a browser of its own, which is gone afterwards.
    package static func drive(_ body: (Browser) async throws -> Void) async throws {
        guard let driver = BrowserSetting.driver else {
            throw Failure(what: "nobody says where chromedriver is")
        }
        let browser = try await Browser(driver: driver)
        do {
            try await body(browser)
        } catch {
            try await browser.quit()
            throw error
        }
        try await browser.quit()
    }

    /// Takes pictures of the page in both colours, on a desk and on a phone; none if nobody wants to look.
    ///
    /// - Returns: those on which the page is wider than the screen: what has to be, scrolls inside itself.
    package func photograph(_ name: String) async throws -> [String] {
        guard let folder = BrowserSetting.screenshots else { return [] }
        var tooWide: [String] = []
        for scheme in Scheme.allCases {
            try await self.prefer(scheme)
            for isPhone in [false, true] {
                try await self.resize(
                    width: isPhone ? 390 : 1_280,
                    height: isPhone ? 844 : 900,
                    isPhone: isPhone
                )
                let file = "\(name)-\(scheme)\(isPhone ? "-phone" : "").png"
                let overflow = try await self.evaluate(
                    "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
                )
                if (overflow as? Int ?? 0) > 0 { tooWide.append(file) }
                try await self.screenshot().write(
                    to: URL(fileURLWithPath: folder).appendingPathComponent(file)
                )
            }
        }
        try await self.resize(width: 1_280, height: 900, isPhone: false)
        try await self.prefer(.light)
        return tooWide
    }
}
