import Foundation
import Glibc
import Terminal

/// The file of a payload while the user edits it.
///
/// The payload is unmasked, so only the user can read the file, and the file is removed after editing.
struct EditedFile {
    /// The number of bytes that are read back at most.
    private static let bytesLimit = 16 << 20

    private let path: String
    private let isOwn: Bool

    /// Names a file of the user, which is never removed.
    init(at path: String) {
        self.path = path
        self.isOwn = false
    }

    /// Writes a payload to a new file in a new temporary folder.
    ///
    /// - Throws: `Complaint` or an error of the file system if the file cannot be written.
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

    /// Reads the edited payload.
    ///
    /// - Throws: `Complaint` if it is larger than 16 MiB; errors of the file system.
    func read() throws -> [UInt8] {
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: self.path))
        let data = try handle.read(upToCount: Self.bytesLimit + 1) ?? Data()
        try handle.close()
        guard data.count <= Self.bytesLimit else {
            throw Complaint("the edited payload is larger than 16 MiB")
        }
        return Array(data)
    }

    /// Opens the file in `$VISUAL`, `$EDITOR` or `vi`, and waits until the editor ends.
    ///
    /// - Throws: `Complaint` if the editor cannot be started or ends with another exit code than 0.
    func openInEditor() throws {
        let environment = ProcessInfo.processInfo.environment
        let editor = ["VISUAL", "EDITOR"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "vi"
        // The variable may hold a command with options, so a shell parses it. The path is passed as an
        // argument, which the shell does not parse.
        let spawn = Spawn(
            "/bin/sh",
            ["-c", "exec \(editor) \"$1\"", "sh", self.path],
            environment: environment.map { "\($0.key)=\($0.value)" }
        )
        let end = ProcessEnd(of: try spawn.run())
        guard end == .code(0) else { throw Complaint("the editor ended with \(end); nothing was done") }
    }

    /// Removes the file and its folder. Tells the user if that fails, because the payload is unmasked.
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
