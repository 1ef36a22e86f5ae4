import Foundation
import Glibc

/// The paths of the index and of the user's salt, and the files that SQLite keeps beside the index.
package enum IndexFile {
    /// Returns the path of a cluster's index for users who name no other: in the user's cache folder.
    ///
    /// - Parameter environment: the variables of the process; `XDG_CACHE_HOME` comes before `HOME`.
    package static func standardPath(clusterID: String, environment: [String: String]) -> String {
        // The cluster chooses its id. Only ASCII letters, digits, `-` and `_` of it enter the path, and at
        // most 64 characters.
        let name = clusterID.unicodeScalars.map { scalar in
            let isPlain =
                scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
            return isPlain || scalar == "-" || scalar == "_" ? String(scalar) : "."
        }.joined().prefix(64)
        return "\(self.folder(environment))/dead-letters-\(name.isEmpty ? "cluster" : name).sqlite"
    }

    /// Returns the path of the file with the salt of the user's marks.
    package static func saltPath(environment: [String: String]) -> String {
        "\(self.folder(environment))/dead-letters.salt"
    }

    private static func folder(_ environment: [String: String]) -> String {
        let cache =
            environment["XDG_CACHE_HOME"].flatMap { $0.isEmpty ? nil : $0 }
            ?? "\(environment["HOME"] ?? NSTemporaryDirectory())/.cache"
        return "\(cache)/flotilla"
    }

    /// Creates the file, empty and readable by its owner only, and its folder, where they do not exist yet.
    ///
    /// - Parameter remedy: what the user can do if that fails.
    /// - Throws: an error of the file system, with the remedy as its suggestion.
    package static func prepare(_ path: String, remedy: String) throws {
        do {
            try self.create(path)
        } catch {
            let known = error as NSError
            throw NSError(
                domain: known.domain,
                code: known.code,
                userInfo: known.userInfo.merging([NSLocalizedRecoverySuggestionErrorKey: remedy]) { $1 }
            )
        }
    }

    /// The remedy where the index cannot be written.
    static let remedy = "name a file that can be written with --index or dead_letters.index"

    private static func create(_ path: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        if !FileManager.default.fileExists(atPath: folder) {
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        }
        // `O_EXCL` never opens a file that another process creates at the same moment.
        let descriptor = unsafe open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            close(descriptor)
        } else if case let code = errno, code != EEXIST {
            throw NSError(
                domain: NSPOSIXErrorDomain,
                code: Int(code),
                userInfo: [NSFilePathErrorKey: path]
            )
        }
    }

    /// Returns the size of a file in bytes; 0 also if the file does not exist.
    static func byteCount(_ path: String) throws -> Int {
        guard FileManager.default.fileExists(atPath: path) else { return 0 }
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size]
        return (size as? NSNumber)?.intValue ?? 0
    }

    /// Deletes an index and the files that SQLite keeps beside it. A file that does not exist is no error.
    package static func delete(_ path: String) throws {
        for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.removeItem(atPath: path + suffix)
        }
    }
}
