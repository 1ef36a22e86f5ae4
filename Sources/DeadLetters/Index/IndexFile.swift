import Foundation
import Glibc

/// The index's file, and those that SQLite keeps beside it.
package enum IndexFile {
    /// Where the index of a cluster is unless somebody says otherwise: in the user's cache.
    package static func standardPath(clusterID: String, environment: [String: String]) -> String {
        // A cluster names itself; what it says is not to become a path.
        let name = clusterID.unicodeScalars.map { scalar in
            let isPlain =
                scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
            return isPlain || scalar == "-" || scalar == "_" ? String(scalar) : "."
        }.joined().prefix(64)
        return "\(self.folder(environment))/dead-letters-\(name.isEmpty ? "cluster" : name).sqlite"
    }

    /// Where the salt of the user's marks is kept.
    package static func saltPath(environment: [String: String]) -> String {
        "\(self.folder(environment))/dead-letters.salt"
    }

    private static func folder(_ environment: [String: String]) -> String {
        let cache =
            environment["XDG_CACHE_HOME"].flatMap { $0.isEmpty ? nil : $0 }
            ?? "\(environment["HOME"] ?? NSTemporaryDirectory())/.cache"
        return "\(cache)/flotilla"
    }

    /// Makes the folder, and an empty file that only its owner can read.
    package static func prepare(_ path: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        if !FileManager.default.fileExists(atPath: folder) {
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        }
        // Never in the place of a file that another process makes at the same moment.
        let descriptor = unsafe open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            close(descriptor)
        } else if errno != EEXIST {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path])
        }
    }

    /// 0 also where there is no file.
    static func byteCount(_ path: String) throws -> Int {
        guard FileManager.default.fileExists(atPath: path) else { return 0 }
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size]
        return (size as? NSNumber)?.intValue ?? 0
    }

    package static func delete(_ path: String) throws {
        for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.removeItem(atPath: path + suffix)
        }
    }
}
