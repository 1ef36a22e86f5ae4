package import ArgumentParser
import EventThread
import Glibc
package import Terminal

/// Options of a server: how it announces its address, and when it ends.
package struct LifeOptions: ParsableArguments {
    @Option(help: "Write the address to this file as soon as it can be used.")
    package var readyFile: String?

    @Flag(
        help: ArgumentHelp(
            "Read standard input, and end when it does, as it does when the starter has died.",
            discussion: "Orders on standard input are read only with this."
        )
    )
    package var untilStdinCloses = false

    package init() {}

    /// Prints the address on the first line of standard output, and writes it to the ready file if there is
    /// one.
    package func announce(_ address: String) throws {
        if let readyFile {
            do throws(FileFailure) {
                try SmallFile.write(Array("\(address)\n".utf8), to: readyFile)
            } catch {
                throw Complaint("cannot write \(readyFile): \(error.reason)")
            }
        }
        Console.line(address)
    }

    /// Waits until a signal arrives, or, with `--until-stdin-closes`, until standard input ends.
    ///
    /// - Parameter line: called with each line of standard input during the wait, if standard input is
    ///   watched.
    package func waitForTheEnd(_ wish: StopWish, hearing line: ([UInt8]) -> Void = { _ in }) {
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
