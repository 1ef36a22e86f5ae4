import Foundation
import Testing

/// The page of promises names tests and mutants that are there, and forgets none of the mutants.
struct PromisesTests {
    private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()

    private func page() throws -> String {
        try String(contentsOf: Self.tests.appendingPathComponent("PROMISES.md"), encoding: .utf8)
    }

    /// The texts that stand between backticks.
    private func named(_ page: String) -> Set<String> {
        let parts = page.split(separator: "`", omittingEmptySubsequences: false)
        return Set(parts.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) })
    }

    @Test func everyMutantIsNamedAndIsThere() throws {
        let files = try FileManager.default
            .contentsOfDirectory(atPath: Self.tests.appendingPathComponent("Mutants").path)
            .filter { $0.hasSuffix(".patch") }.map { String($0.dropLast(".patch".count)) }
        let mutants = try self.named(self.page()).filter { name in
            name.contains("-") && name.allSatisfy { $0.isLowercase || $0 == "-" }
        }
        #expect(mutants == Set(files) && !files.isEmpty)
    }

    /// All that stands in the files of the tests.
    private func sources() throws -> String {
        let enumerator = FileManager.default.enumerator(atPath: Self.tests.path)
        var sources = ""
        while let path = enumerator?.nextObject() as? String {
            guard path.hasSuffix(".swift") else { continue }
            sources += try String(contentsOf: Self.tests.appendingPathComponent(path), encoding: .utf8)
        }
        return sources
    }

    @Test func everySuiteThatIsNamedIsThere() throws {
        let suites = try self.named(self.page()).filter { $0.hasSuffix("Tests") && !$0.contains("/") }
        let sources = try self.sources()
        #expect(suites.count > 30)
        for suite in suites {
            let isThere = ["struct", "class"].contains { sources.contains("\($0) \(suite)") }
            #expect(isThere, "\(suite)")
        }
    }

    @Test func everyTestThatIsNamedIsThere() throws {
        let tests = try self.named(self.page()).filter { name in
            name.first?.isLowercase == true && name.contains(where: \.isUppercase)
                && name.allSatisfy { $0.isLetter || $0.isNumber }
        }
        let sources = try self.sources()
        #expect(tests.count > 80)
        for test in tests { #expect(sources.contains("func \(test)("), "\(test)") }
    }
}
