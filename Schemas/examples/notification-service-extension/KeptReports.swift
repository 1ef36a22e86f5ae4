import Foundation

/// The reports that the edge does not have yet: a file each, in the container of the App Group, so that the app posts
/// what its extension could not.
public struct KeptReports: Sendable {
    /// The folder of the reports.
    public let folder: URL
    /// The number of reports that are kept at most; the oldest go first.
    public let limit: Int

    /// - Parameter container: `FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "group.…")`
    public init(in container: URL, limit: Int = 500) throws {
        self.folder = container.appendingPathComponent("push-reports", isDirectory: true)
        self.limit = limit
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
    }

    /// The id of this installation, the same for app and extension. A reinstalled app has a new one.
    public func installation() throws -> String {
        let file = self.folder.deletingLastPathComponent().appendingPathComponent("push-installation")
        if let known = try? String(contentsOf: file, encoding: .utf8), UUID(uuidString: known) != nil {
            return known
        }
        let new = UUID().uuidString.lowercased()
        do {
            // App and extension may both be here for the first time: one file is made, and both read it.
            try Data(new.utf8).write(to: file, options: .withoutOverwriting)
            return new
        } catch {
            return try String(contentsOf: file, encoding: .utf8)
        }
    }

    /// Keeps a report until it is posted.
    public func keep(_ report: PushReport) throws {
        let file = self.folder.appendingPathComponent("\(report.deviceMs)-\(report.eventId).json")
        try JSONEncoder().encode(report).write(to: file, options: Self.writing)
        for old in try self.files().dropLast(self.limit) { try? FileManager.default.removeItem(at: old) }
    }

    /// A push may come while the device is locked, so the files can be read since its first unlocking.
    private static var writing: Data.WritingOptions {
        #if os(iOS)
            [.atomic, .completeFileProtectionUntilFirstUserAuthentication]
        #else
            .atomic
        #endif
    }

    /// The files of the reports, the oldest first.
    func files() throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: self.folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }

    /// Reads a report; nil, and its file is gone, if it is none.
    func report(in file: URL) -> PushReport? {
        if let data = try? Data(contentsOf: file),
            let report = try? JSONDecoder().decode(PushReport.self, from: data)
        {
            return report
        }
        try? FileManager.default.removeItem(at: file)
        return nil
    }
}
