import Testing

/// Swift asks `FileStatus` for the mode of a file, and not `stat`, which belongs to the module of glibc and to one of
/// NIO: whether a use of it compiles depends on how the compiler groups the files of a target.
struct FileStatusTests {
    @Test(arguments: ["Sources", "Tests"]) func nobodyElseAsksForTheModeOfAFile(folder: String) throws {
        for file in try SwiftFile.all(in: folder) {
            let uses = file.text.matches(of: #/\bstat\(\)|\b[fl]?stat(?:at)?\([^)]*&|\.st_[a-z]/#).map(\.0)
            #expect(uses.isEmpty, "\(file.path)")
        }
    }
}
