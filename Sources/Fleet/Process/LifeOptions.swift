import ArgumentParser
import EventThread
import Glibc
import Terminal

/// How a server says that it is there, and how it learns that it may go.
struct LifeOptions: ParsableArguments {
    @Option(help: "Write the address to this file as soon as it can be used.")
    var readyFile: String?

    @Flag(help: "End when standard input does, as it does when whoever started this has died.")
    var untilStdinCloses = false

    /// Says the address on the first line of standard output.
    func announce(_ address: String) throws {
        if let readyFile {
            do throws(FileFailure) {
                try SmallFile.write(Array("\(address)\n".utf8), to: readyFile)
            } catch {
                throw Complaint("cannot write \(readyFile): \(error.reason)")
            }
        }
        Console.line(address)
    }

    /// Returns when a signal, or the end of standard input, says so.
    ///
    /// - Parameter line: told each line of standard input meanwhile.
    func waitForTheEnd(_ wish: StopWish, hearing line: ([UInt8]) -> Void = { _ in }) {
        var wait = Wait(on: [wish.descriptor, self.untilStdinCloses ? STDIN_FILENO : -1])
        var input = LineInput(STDIN_FILENO)
        while wish.count == 0 {
            wait(atMost: .seconds(3_600))
            guard wait.isReadable(at: 1) else { continue }
            guard (try? input.fill()) == true else { return }
            while let next = input.next() { line(next) }
        }
    }
}
