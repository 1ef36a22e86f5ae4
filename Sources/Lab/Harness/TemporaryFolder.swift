import Foundation
package import Terminal

/// A temporary folder. Its owner must call `remove`, which deletes the folder with its contents.
package struct TemporaryFolder {
    package let path: String

    package init() throws(Complaint) {
        let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/flotilla.XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else {
            throw Complaint("no temporary folder to be had in \(parent): \(FileFailure.last().reason)")
        }
        self.path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Writes a file that only this user can read.
    package func write(_ text: String, to name: String) throws(Complaint) {
        do throws(FileFailure) {
            try SmallFile.write(Array(text.utf8), to: self.file(name))
        } catch {
            throw Complaint("cannot write \(self.file(name)): \(error.reason)")
        }
    }

    /// The path of a file in the folder.
    package func file(_ name: String) -> String { "\(self.path)/\(name)" }

    /// Deletes the folder and all files in it, including files of other processes.
    package func remove() {
        do {
            try FileManager.default.removeItem(atPath: self.path)
        } catch {
            Console.complain("cannot remove \(self.path)")
        }
    }
}
