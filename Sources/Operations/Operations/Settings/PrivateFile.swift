import Glibc

/// A file with secrets that several processes read and replace: nobody but its owner may use it, its content
/// changes as a whole, and one process at a time replaces it.
///
/// The lock is on a second file beside it, because the file itself is another one after each replacement. A path that is
/// a symbolic link stands for the file behind it: processes that name the file in different ways share one lock.
package struct PrivateFile: Hashable, Sendable {
    /// The reason why the file cannot be used, as the end of a sentence.
    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        package var description: String
    }

    /// The path of the file.
    package let path: String
    /// Whether the group of the file may read it, as it may read a secret that Kubernetes mounts.
    private let isForGroup: Bool

    package init(path: String, isForGroup: Bool = false) {
        self.path = path
        self.isForGroup = isForGroup
    }

    /// Reads the present content, 64 KiB at most.
    ///
    /// - Throws: a failure too if others than the owner may read or write the file. The group may read it where
    ///   that was said.
    package func read() throws(Failure) -> Secret {
        let file: SmallFile
        do throws(SmallFile.Failure) {
            file = try SmallFile(path: self.path, limit: SecretFile.bytesLimit)
        } catch {
            throw Failure(description: "cannot be read: \(error.reason)")
        }
        let status = file.status
        let isForFew = !status.isReadableByEverybody && !status.isWritableByOthers
        guard self.isForGroup ? isForFew : status.isPrivate else {
            throw Failure(
                description:
                    "can be used by others than its owner: chmod \(self.isForGroup ? "640" : "600") \(self.path)"
            )
        }
        return Secret(bytes: file.bytes)
    }

    /// Returns the reason why this process cannot replace the file, as the end of a sentence; nil if it can.
    package var objectionToReplacing: String? {
        // Root may write to a file whose mode says that nobody does.
        let mode = try? SmallFile(path: self.path, limit: SecretFile.bytesLimit).status
        guard mode?.isWritable == true, unsafe access(self.path, W_OK) == 0
        else { return "is not writable, so renewed tokens cannot be kept: chmod 600 \(self.path)" }
        guard unsafe access(self.folder, W_OK | X_OK) == 0 else {
            return "is in a folder that is not writable, so renewed tokens cannot be kept"
        }
        return nil
    }

    /// Runs a body while no other process or thread holds the lock of this file. Never waits for the lock.
    ///
    /// - Returns: The result of the body; nil if the lock is held elsewhere.
    /// - Throws: a failure if there can be no lock, or the error of the body.
    package func locked<Result>(_ body: () throws -> Result) throws -> Result? {
        let descriptor = unsafe open(self.target + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("has no lock") }
        // Closing the descriptor gives the lock back.
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            if errno == EWOULDBLOCK { return nil }
            throw Self.failure("cannot be locked")
        }
        return try body()
    }

    /// Replaces the content. A reader sees the old content or the new one, after a crash too. The caller holds
    /// the lock.
    package func replace(by content: Secret) throws(Failure) {
        let target = self.target
        let new = target + ".new"
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW
        let descriptor = unsafe open(new, flags, 0o600)
        guard descriptor >= 0 else { throw Self.failure("cannot be replaced") }
        let isWritten =
            fchmod(descriptor, 0o600) == 0 && Self.write(content.revealBytes(), to: descriptor)
            && fsync(descriptor) == 0
        let failure = Self.failure("cannot be replaced")
        guard close(descriptor) == 0, isWritten else { throw failure }
        guard unsafe rename(new, target) == 0 else { throw Self.failure("cannot be replaced") }
        // The new name lasts once the folder is written.
        let folder = unsafe open(self.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw Self.failure("cannot be kept") }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw Self.failure("cannot be kept") }
    }

    /// The path of the file itself; the given one where there is no file.
    private var target: String {
        guard let resolved = unsafe realpath(self.path, nil) else { return self.path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    private var folder: String {
        let target = self.target
        guard let slash = target.lastIndex(of: "/") else { return "." }
        return slash == target.startIndex ? "/" : String(target[..<slash])
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func failure(_ problem: String) -> Failure {
        Failure(description: "\(problem): system error \(errno)")
    }
}
