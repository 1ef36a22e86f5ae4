import Foundation
import Terminal

/// A folder of our own, gone with everything in it when this is removed.
struct TemporaryFolder {
    let path: String

    init() throws(Complaint) {
        let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/flotilla.XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else {
            throw Complaint("no temporary folder to be had in \(parent): \(FileFailure.last().reason)")
        }
        self.path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Writes a file that nobody else may read.
    func write(_ text: String, to name: String) throws(Complaint) {
        do throws(FileFailure) {
            try SmallFile.write(Array(text.utf8), to: self.file(name))
        } catch {
            throw Complaint("cannot write \(self.file(name)): \(error.reason)")
        }
    }

    func file(_ name: String) -> String { "\(self.path)/\(name)" }

    /// Takes away the folder and all that is in it, whoever has put it there.
    func remove() {
        do {
            try FileManager.default.removeItem(atPath: self.path)
        } catch {
            Console.complain("cannot remove \(self.path)")
        }
    }
}
