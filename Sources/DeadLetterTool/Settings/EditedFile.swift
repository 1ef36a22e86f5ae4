import Foundation
import Glibc
import Terminal

/// A payload while somebody edits it: in a file that only they can read, and that is removed afterwards.
struct EditedFile {
    /// Of what is read back.
    private static let bytesLimit = 16 << 20

    private let path: String
    private let isOwn: Bool

    /// A file of the user's own, which stays.
    init(at path: String) {
        self.path = path
        self.isOwn = false
    }

    init(holding text: [UInt8]) throws {
        let folder = NSTemporaryDirectory() + "/dead-letter-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        self.path = "\(folder)/payload.json"
        self.isOwn = true
        guard
            FileManager.default.createFile(
                atPath: self.path,
                contents: Data(text),
                attributes: [.posixPermissions: 0o600]
            )
        else { throw Complaint("cannot write \(self.path)") }
    }

    func read() throws -> [UInt8] {
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: self.path))
        let data = try handle.read(upToCount: Self.bytesLimit + 1) ?? Data()
        try handle.close()
        guard data.count <= Self.bytesLimit else {
            throw Complaint("the edited payload is larger than 16 MiB")
        }
        return Array(data)
    }

    /// Waits until the editor is closed.
    func openInEditor() throws {
        let environment = ProcessInfo.processInfo.environment
        let editor = ["VISUAL", "EDITOR"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "vi"
        // An editor may be a command with options, so a shell reads it; the path is an argument and is never read.
        let spawn = Spawn(
            "/bin/sh",
            ["-c", "exec \(editor) \"$1\"", "sh", self.path],
            environment: environment.map { "\($0.key)=\($0.value)" }
        )
        let end = ProcessEnd(of: try spawn.run())
        guard end == .code(0) else { throw Complaint("the editor ended with \(end); nothing was done") }
    }

    func remove() {
        guard self.isOwn else { return }
        let folder = URL(fileURLWithPath: self.path).deletingLastPathComponent().path
        do {
            try FileManager.default.removeItem(atPath: folder)
        } catch {
            Console.complain("cannot remove \(folder), which holds the payload unmasked: remove it yourself")
        }
    }
}
