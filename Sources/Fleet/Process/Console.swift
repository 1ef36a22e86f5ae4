import ArgumentParser
import Glibc

/// Standard output and standard error, a whole line at a time and never held back.
enum Console {
    static func line(_ text: String) { self.write(Array("\(text)\n".utf8), to: STDOUT_FILENO) }

    static func complain(_ text: String) { self.write(Array("\(text)\n".utf8), to: STDERR_FILENO) }

    /// - Returns: false if nobody can read there any more.
    @discardableResult
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
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
struct Complaint: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension ParsableCommand {
    /// Runs a body, and turns what it throws into one line and exit code 1.
    func complaining<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let exit as ExitCode {
            throw exit
        } catch {
            Console.complain("fleet \(Self._commandName): \(error)")
            throw ExitCode(1)
        }
    }
}
