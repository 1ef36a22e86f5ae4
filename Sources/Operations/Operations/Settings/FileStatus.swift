internal import CFileStatus
import Glibc

/// The mode, the owner and the links of an open file.
///
/// C tells them, because `stat` belongs to more than one C module: which of them Swift takes it from depends
/// on how the compiler groups the files, and a wrong one does not compile.
package struct FileStatus: Hashable, Sendable {
    private let mode: UInt32
    private let links: UInt64
    private let owner: UInt32

    /// Reads the status of an open file.
    ///
    /// - Returns: nil if the system refuses; `errno` says why.
    package init?(of descriptor: Int32) {
        var status = file_status()
        guard unsafe file_status_of(descriptor, &status) == 0 else { return nil }
        self.mode = status.mode
        self.links = status.links
        self.owner = status.owner
    }

    /// Whether it is a file with bytes, and no folder, socket or device.
    package var isRegular: Bool { self.mode & 0o170000 == 0o100000 }
    /// Whether no other name leads to the same file.
    package var hasOneName: Bool { self.links == 1 }
    /// Whether the file belongs to the user of this process.
    package var isOwn: Bool { self.owner == geteuid() }
    /// Whether the mode lets the owner write to the file. Root may write to others too.
    package var isWritable: Bool { self.mode & 0o200 != 0 }
    /// Whether the mode lets nobody but the owner use the file.
    package var isPrivate: Bool { self.mode & 0o077 == 0 }
    /// Whether the mode lets every user of the machine read the file.
    package var isReadableByEverybody: Bool { self.mode & 0o004 != 0 }
    /// Whether the mode lets others than the owner write to the file.
    package var isWritableByOthers: Bool { self.mode & 0o022 != 0 }
}
