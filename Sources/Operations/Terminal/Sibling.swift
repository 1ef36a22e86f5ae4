import Glibc

/// The other programs of the fleet: beside this one, or else on `PATH`.
package enum Sibling {
    /// The path of another program.
    ///
    /// - Throws: `Complaint` if there is no such executable program in either place.
    package static func path(of name: String) throws(Complaint) -> String {
        let own = try self.folder
        let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? ""
        guard let found = self.find(name, in: [own] + path.split(separator: ":").map(String.init)) else {
            throw Complaint(
                "\(name) is neither in \(own) nor on PATH; build it first: swift build --product \(name)"
            )
        }
        return found
    }

    /// The folder of this program.
    ///
    /// - Throws: `Complaint` if the system does not tell it.
    package static var folder: String {
        get throws(Complaint) {
            let size = Int(PATH_MAX)
            var buffer = [CChar](repeating: 0, count: size)
            let count = unsafe readlink("/proc/self/exe", &buffer, size)
            let path = buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:))
            guard let end = path.lastIndex(of: UInt8(ascii: "/")) else {
                throw Complaint("cannot tell where this program is")
            }
            return String(decoding: path[..<end], as: UTF8.self)
        }
    }

    /// The first executable file of this name. Folders that are relative are left out: a program of this name in the
    /// current folder need not be one of the fleet.
    package static func find(_ name: String, in folders: [String]) -> String? {
        folders.lazy.filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }.first {
            unsafe access($0, X_OK) == 0
        }
    }
}
