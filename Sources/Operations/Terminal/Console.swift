package import ArgumentParser
import Glibc

/// Standard output and standard error. Each line is written whole and at once.
package enum Console {
    /// The name of this program, as in "fleet read: there is no such topic".
    static let program = Self.name(of: CommandLine.arguments)

    /// Returns the name of the program that these words start. The file of all programs takes its name as a word, too.
    static func name(of words: [String]) -> String {
        let file = words.first?.split(separator: "/").last.map(String.init) ?? ""
        guard file == "flotilla", words.count > 1 else { return file }
        return "\(file) \(words[1])"
    }

    /// Writes a line to standard output.
    package static func line(_ text: String) { self.write(Array("\(text)\n".utf8), to: STDOUT_FILENO) }

    /// Writes a line to standard error.
    package static func complain(_ text: String) { self.write(Array("\(text)\n".utf8), to: STDERR_FILENO) }

    /// Asks the user at the terminal a question. Returns true for `y` or `yes`; false for any other answer,
    /// and without a terminal.
    package static func asks(_ question: String) -> Bool {
        guard isatty(STDIN_FILENO) == 1 else { return false }
        self.write(Array("\(question) [y/N] ".utf8), to: STDERR_FILENO)
        let answer = readLine()?.lowercased()
        return answer == "y" || answer == "yes"
    }

    /// Asks the user at the terminal for a line; nil if the line is empty or there is no terminal.
    package static func asksFor(_ what: String) -> String? {
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        self.write(Array("\(what) ".utf8), to: STDERR_FILENO)
        return readLine().flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Writes all bytes to a descriptor. Waits while the descriptor is not ready.
    ///
    /// - Returns: false if the bytes cannot be written, for example because the reader of a pipe is gone.
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

/// An error that the user can correct, as a sentence.
package struct Complaint: Error, CustomStringConvertible {
    /// The sentence, without the name of the program.
    package let description: String

    /// Creates an error from its sentence.
    package init(_ description: String) { self.description = description }
}

/// An error with an exit code of its own.
package protocol ErrorWithExitCode: Error {
    /// The exit code of a program that ends with this error.
    var exitCode: Int32 { get }
}

extension ParsableCommand {
    /// Runs `body`, and turns its error into one line on standard error and an `ExitCode`.
    ///
    /// - Throws: an `ExitCode` of `body` as it is; for an `ErrorWithExitCode` its own code, for any other
    ///   error 1.
    package func complaining<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let exit as ExitCode {
            throw exit
        } catch let error as any ErrorWithExitCode {
            Console.complain("\(Console.program) \(Self._commandName): \(error)")
            throw ExitCode(error.exitCode)
        } catch {
            Console.complain("\(Console.program) \(Self._commandName): \(ErrorText.line(error))")
            throw ExitCode(1)
        }
    }
}
