package import ArgumentParser
import Glibc

/// Standard output and standard error, a whole line at a time and never held back.
package enum Console {
    /// What this program is called, as in "fleet read: there is no such topic".
    static let program = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? ""

    package static func line(_ text: String) { self.write(Array("\(text)\n".utf8), to: STDOUT_FILENO) }

    package static func complain(_ text: String) { self.write(Array("\(text)\n".utf8), to: STDERR_FILENO) }

    /// Asks whoever sits at the terminal; the answer is no unless they say yes, and where nobody sits there.
    package static func asks(_ question: String) -> Bool {
        guard isatty(STDIN_FILENO) == 1 else { return false }
        self.write(Array("\(question) [y/N] ".utf8), to: STDERR_FILENO)
        let answer = readLine()?.lowercased()
        return answer == "y" || answer == "yes"
    }

    /// Asks whoever sits at the terminal for a line; nil where nobody sits there, or says nothing.
    package static func asksFor(_ what: String) -> String? {
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        self.write(Array("\(what) ".utf8), to: STDERR_FILENO)
        return readLine().flatMap { $0.isEmpty ? nil : $0 }
    }

    /// - Returns: false if nobody can read there any more.
    @discardableResult
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno == EAGAIN {
                var reader = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&reader, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}

/// Something that the user can mend, as a sentence.
package struct Complaint: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// An error that a program ends with in a way of its own.
package protocol ErrorWithExitCode: Error {
    var exitCode: Int32 { get }
}

extension ParsableCommand {
    /// Runs a body, and turns what it throws into one line and exit code 1.
    package func complaining<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let exit as ExitCode {
            throw exit
        } catch let error as any ErrorWithExitCode {
            Console.complain("\(Console.program) \(Self._commandName): \(error)")
            throw ExitCode(error.exitCode)
        } catch {
            Console.complain("\(Console.program) \(Self._commandName): \(error)")
            throw ExitCode(1)
        }
    }
}
