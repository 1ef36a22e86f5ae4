import CLibFuzzer
import Foundation

@testable import WorkerKit

/// libFuzzer around one target: `Fuzzing --target=NAME [libFuzzer's own flags and folders]`.
///
/// libFuzzer ignores flags with two hyphens, and starts itself again with all of them where it needs to.
@main enum FuzzProgram {
    static func main() {
        if CommandLine.arguments.contains("--list") {
            return print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
        }
        if CommandLine.arguments.contains("--list-apple") {
            return print(FuzzTarget.apple.map(\.name).joined(separator: "\n"))
        }
        guard let target = Self.target else { Self.refuse("--target= one of those that --list prints") }
        if CommandLine.arguments.contains("--words") { return print(Self.dictionary(target.words)) }
        if let folder = Self.value(of: "--seeds=") { return Self.write(target.seeds(), to: folder) }

        // First, so that a flag that was given comes after it and holds.
        var argv = CommandLine.arguments
        argv.insert("-max_len=\(target.longestInput)", at: min(1, argv.count))
        var pointers = unsafe argv.map { unsafe strdup($0) } + [nil]
        var count = Int32(clamping: argv.count)
        let status = unsafe pointers.withUnsafeMutableBufferPointer { pointers in
            var arguments = pointers.baseAddress
            return unsafe LLVMFuzzerRunDriver(&count, &arguments) { start, count in
                FuzzProgram.check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
                return 0
            }
        }
        exit(status)
    }

    private static let target = FuzzTarget.all.first { $0.name == FuzzProgram.value(of: "--target=") }

    private static func value(of flag: String) -> String? {
        CommandLine.arguments.last { $0.hasPrefix(flag) }.map { String($0.dropFirst(flag.count)) }
    }

    /// A file for each, as libFuzzer wants them.
    private static func write(_ seeds: [[UInt8]], to folder: String) {
        for (number, seed) in seeds.enumerated() {
            do {
                try Data(seed).write(to: URL(filePath: folder).appending(path: "seed-\(number)"))
            } catch {
                Self.refuse("--seeds= a folder that can be written to")
            }
        }
    }

    /// An objection ends the process as a trap does, so that libFuzzer keeps the input.
    private static func check(_ input: [UInt8]) {
        do {
            try self.target?.run(input)
        } catch {
            StandardStreams.complain("\(self.target?.name ?? ""): \(error)")
            abort()
        }
    }

    /// As libFuzzer reads one: a quoted string on each line, with bytes in hexadecimal.
    private static func dictionary(_ words: [String]) -> String {
        words.map { word in
            let bytes = word.utf8.map { "\\x" + String(UInt16($0) + 0x100, radix: 16).dropFirst() }
            return "\"\(bytes.joined())\""
        }.joined(separator: "\n")
    }

    private static func refuse(_ text: String) -> Never {
        StandardStreams.complain("usage: \(text)")
        exit(64)
    }
}
