import Foundation
import ServiceKit
import Testing
import WorkerTestSupport

/// The folder of a crash recorder. It does not exist until a recorder or the test makes it.
final class CrashFolderUnderTest {
    private let parent: TemporaryFolder

    init() throws { self.parent = try TemporaryFolder() }

    var path: String { self.parent.file("crashes").path }

    func file(_ name: String) -> String { "\(self.path)/\(name)" }

    func text(of name: String) -> String {
        (try? String(contentsOfFile: self.file(name), encoding: .utf8)) ?? ""
    }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: self.file(name)))
    }

    func mode(of name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: self.file(name))
        return try #require((attributes[.posixPermissions] as? NSNumber)?.intValue)
    }

    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: self.path)) ?? []).sorted() }
}

extension CrashRecorder {
    func deaths(_ offset: Int64) -> Int {
        self.deaths(of: "activation", partition: 3, offset: offset)
    }

    func mark(_ offset: Int64) { self.mark(topic: "activation", partition: 3, offset: offset) }
}
