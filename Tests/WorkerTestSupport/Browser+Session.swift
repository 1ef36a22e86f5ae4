import Foundation

/// The settings that Deploy/test-pages passes on: where chromedriver and axe-core are, and where pictures go, if anybody
/// wants some.
package enum BrowserSetting {
    package static let driver = ProcessInfo.processInfo.environment["FLOTILLA_CHROMEDRIVER"]
    package static let axe = ProcessInfo.processInfo.environment["FLOTILLA_AXE"]
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

    /// Looks at the page on a desk and on a phone, and takes pictures in both colours if somebody wants to look.
    ///
    /// - Returns: Screens that are narrower than the page, in which only parts may scroll, targets that a finger can
    ///   miss, and what axe-core finds.
    package func photograph(_ name: String) async throws -> [String] {
        var faults: [String] = []
        for isPhone in [false, true] {
            try await self.resize(width: isPhone ? 390 : 1_280, height: isPhone ? 844 : 900, isPhone: isPhone)
            let place = "\(name)\(isPhone ? "-phone" : "")"
            let overflow = try await self.evaluate(
                "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            if (overflow as? Int ?? 0) > 0 { faults.append("\(place) is too wide") }
            faults += try await self.targetFaults().map { "\(place): \($0)" }
            for scheme in Scheme.allCases {
                try await self.prefer(scheme)
                faults += try await self.axeFaults().map { "\(place), \(scheme): \($0)" }
                guard let folder = BrowserSetting.screenshots else { continue }
                try await self.screenshot().write(
                    to: URL(fileURLWithPath: folder).appendingPathComponent("\(place)-\(scheme).png")
                )
            }
        }
        try await self.resize(width: 1_280, height: 900, isPhone: false)
        try await self.prefer(.light)
        // An expectation around `try await` does not show its value.
        for fault in faults { print("fault of \(fault)") }
        return faults
    }
}
