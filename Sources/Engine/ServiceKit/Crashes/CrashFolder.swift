import Glibc
import Operations

/// The folder in which the workers of a machine keep the records that they died of.
///
/// No other user may write to the folder, so that none can put files or links in the place of ours, or have
/// our records dead-lettered.
final class CrashFolder {
    /// A failure, as a sentence without its full stop.
    struct Failure: Error, CustomStringConvertible {
        let description: String

        static func last(_ what: String) -> Failure {
            let code = errno
            let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "system error \(code)"
            return Failure(description: "\(what): \(reason)")
        }
    }

    let path: String
    /// The things that were found and should not be there, each with what was done about it.
    var warnings: [String] = []
    private let descriptor: Int32

    /// Opens the folder, and creates it if there is none. The folder above it must exist.
    ///
    /// - Throws: `Failure` if the folder cannot be opened, belongs to another user, or can be written by
    ///   others.
    init(path: String) throws(Failure) {
        if unsafe mkdir(path, 0o700) != 0, errno != EEXIST { throw .last("cannot make the folder \(path)") }
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last("cannot open the folder \(path)") }
        do throws(Failure) {
            try Self.check(descriptor, path)
        } catch {
            close(descriptor)
            throw error
        }
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(self.descriptor) }

    private static func check(_ descriptor: Int32, _ path: String) throws(Failure) {
        guard let status = FileStatus(of: descriptor) else {
            throw .last("cannot look at the folder \(path)")
        }
        guard status.isOwn else {
            throw Failure(description: "the folder \(path) belongs to another user")
        }
        guard !status.isWritableByOthers else {
            throw Failure(
                description: "the folder \(path) can be written by others; take that right away (chmod go-w)"
            )
        }
    }

    /// Waits until no other worker is busy with the ledger, which takes each of them milliseconds.
    ///
    /// - Returns: A descriptor that holds the lock until it is closed.
    func lock() throws(Failure) -> Int32 {
        let descriptor = try self.file("lock", makesIt: true) ?? -1
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else {
                let failure = Failure.last("cannot lock \(self.path)/lock")
                close(descriptor)
                throw failure
            }
        }
        return descriptor
    }

    /// Locks a slot whose owner is dead, or that has none.
    ///
    /// - Returns: A descriptor that holds the lock until it is closed; nil if the owner lives, or if the slot
    ///   does not exist and `makesIt` is false.
    func lockSlot(_ number: Int, makesIt: Bool) throws(Failure) -> Int32? {
        guard let descriptor = try self.file(Self.name(ofSlot: number), makesIt: makesIt) else { return nil }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
        close(descriptor)
        return nil
    }

    /// Returns the mark in a locked slot; nil if there is none, or if it cannot be read, which adds a
    /// warning.
    func mark(in descriptor: Int32, _ number: Int) -> CrashMark? {
        let name = "\(self.path)/\(Self.name(ofSlot: number))"
        guard let bytes = Self.contents(of: descriptor, limit: CrashMark.bytes) else {
            self.warnings.append(Failure.last("cannot read \(name)").description)
            return nil
        }
        do throws(CrashMark.Fault) {
            return try CrashMark.read(bytes)
        } catch {
            switch error {
            case .foreign: self.warnings.append("\(name) was not written by this program, and is replaced")
            case .senseless: self.warnings.append("\(name) names no record, and is replaced")
            }
            return nil
        }
    }

    static func name(ofSlot number: Int) -> String { "slot-\(number < 10 ? "0" : "")\(number)" }

    /// Opens one of our files. Anything else that has its name is removed, because only we write to this
    /// folder.
    ///
    /// - Returns: The descriptor; nil if the file does not exist and `makesIt` is false.
    private func file(_ name: String, makesIt: Bool) throws(Failure) -> Int32? {
        let flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        let found = unsafe openat(self.descriptor, name, flags)
        if found >= 0, Self.isOurs(found) { return found }
        // Links and sockets cannot be opened. Any other error says nothing against the file.
        guard found >= 0 || [ENOENT, ELOOP, ENXIO].contains(errno) else {
            throw .last("cannot open \(self.path)/\(name)")
        }
        if found >= 0 || errno != ENOENT {
            if found >= 0 { close(found) }
            guard unsafe unlinkat(self.descriptor, name, 0) == 0 else {
                throw .last("cannot remove \(self.path)/\(name), which is no file of ours")
            }
            self.warnings.append("\(self.path)/\(name) was no file of ours, and is removed")
        }
        guard makesIt else { return nil }
        // If another worker creates the file at this moment, both get the same file.
        let made = unsafe openat(self.descriptor, name, flags | O_CREAT, 0o600)
        guard made >= 0 else { throw .last("cannot make \(self.path)/\(name)") }
        return made
    }

    private static func isOurs(_ descriptor: Int32) -> Bool {
        guard let status = FileStatus(of: descriptor) else { return false }
        return status.isRegular && status.hasOneName && status.isOwn
    }

    /// Returns the content of a file, at most one byte more than the limit; nil if the file cannot be read.
    static func contents(of descriptor: Int32, limit: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count < bytes.count {
            let wanted = bytes.count - count
            let got = unsafe bytes.withUnsafeMutableBytes {
                unsafe pread(descriptor, $0.baseAddress?.advanced(by: count), wanted, off_t(count))
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { return nil }
            if got == 0 { break }
            count += got
        }
        return Array(bytes[..<count])
    }

    /// Replaces the whole content of a file with these bytes.
    ///
    /// - Returns: Whether that has succeeded.
    static func fill(_ descriptor: Int32, with bytes: [UInt8]) -> Bool {
        var count = 0
        while count < bytes.count {
            let put = unsafe bytes.withUnsafeBytes {
                unsafe pwrite(
                    descriptor,
                    $0.baseAddress?.advanced(by: count),
                    bytes.count - count,
                    off_t(count)
                )
            }
            if put < 0, errno == EINTR { continue }
            guard put > 0 else { return false }
            count += put
        }
        return ftruncate(descriptor, off_t(bytes.count)) == 0
    }
}

extension CrashFolder {
    private static let ledger = "ledger"

    /// Reads the ledger as it is now.
    ///
    /// - Returns: The entries that could be read, and whether these are all that the file holds.
    func readLedger() throws(Failure) -> (ledger: CrashLedger, isWhole: Bool) {
        guard let descriptor = try self.file(Self.ledger, makesIt: false) else {
            return (CrashLedger(), true)
        }
        defer { close(descriptor) }
        guard let bytes = Self.contents(of: descriptor, limit: CrashLedger.bytesLimit) else {
            throw .last("cannot read \(self.path)/\(Self.ledger)")
        }
        guard let (ledger, strangeLines) = CrashLedger.read(String(decoding: bytes, as: UTF8.self)) else {
            self.warnings.append("\(self.path)/\(Self.ledger) is no crash ledger, and is replaced")
            return (CrashLedger(), false)
        }
        if strangeLines > 0 {
            self.warnings.append("\(self.path)/\(Self.ledger) has \(strangeLines) lines that make no sense")
        }
        return (ledger, strangeLines == 0)
    }

    /// Writes the ledger to a file beside its place and moves it there, so that no reader ever sees half of
    /// it.
    func write(_ ledger: CrashLedger) throws(Failure) {
        let draft = Self.ledger + ".new"
        if unsafe unlinkat(self.descriptor, draft, 0) != 0, errno != ENOENT {
            throw .last("cannot remove \(self.path)/\(draft)")
        }
        let descriptor = try self.file(draft, makesIt: true) ?? -1
        let isWritten = Self.fill(descriptor, with: Array(ledger.text.utf8)) && fsync(descriptor) == 0
        let failure = Failure.last("cannot write \(self.path)/\(draft)")
        close(descriptor)
        guard isWritten else { throw failure }
        guard unsafe renameat(self.descriptor, draft, self.descriptor, Self.ledger) == 0 else {
            throw .last("cannot replace \(self.path)/\(Self.ledger)")
        }
    }
}
