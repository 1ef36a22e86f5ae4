import Foundation
package import Terminal

/// The other programs of the fleet, which are in the same folder as this one.
package enum Sibling {
    /// The path of another program.
    ///
    /// - Throws: `Complaint` if there is no such executable program.
    package static func path(of name: String) throws(Complaint) -> String {
        guard let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
            throw Complaint("cannot tell where this program is")
        }
        let folder = own.lastIndex(of: "/").map { own[...$0] } ?? ""
        guard unsafe access("\(folder)\(name)", X_OK) == 0 else {
            throw Complaint("\(name) is not beside \(own); build it first: swift build --product \(name)")
        }
        return "\(folder)\(name)"
    }
}
