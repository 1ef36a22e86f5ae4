import Foundation
import Testing
import WorkerTestSupport

/// Each Swift package of a build has one exact version, so that a clone builds the same code next year.
struct PinsTests {
    @Test func packageSwiftPinsEveryPackageOfTheBill() throws {
        let manifest = try Self.text(of: "Package.swift")
        let pinned = Set(
            manifest.matches(of: #/\.package\(url: "([^"]+)", exact: "([^"]+)"\)/#).map { "\($0.1) \($0.2)" }
        )
        let named = manifest.matches(of: #/\.package\(url:/#).count
        #expect(named == pinned.count, "a package of Package.swift has no exact version")
        let bill = try Self.text(of: "Deploy/dependencies").split(separator: "\n").filter {
            !$0.hasPrefix("#")
        }
        .map { $0.split(separator: " ") }
        #expect(bill.count > 20)
        for line in bill {
            try #require(line.count == 5)
            #expect(pinned.contains("\(line[4]) \(line[1])"), "\(line[0])")
        }
    }

    private static func text(of path: String) throws -> String {
        try String(contentsOf: Documents.root.appending(path: path), encoding: .utf8)
    }
}
