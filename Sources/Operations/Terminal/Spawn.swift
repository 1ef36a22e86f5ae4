internal import CSpawn
import Glibc

/// The start of a child process by posix_spawn, put together step by step.
///
/// Foundation's `Process` is not used: when it starts a program it reads beyond the end of a buffer, and
/// sometimes crashes (swift-corelibs-foundation#5472, in 6.3.1).
package struct Spawn {
    private let program: String
    private let name: String
    private let arguments: [String]
    private let environment: [String]
    private let startsGroup: Bool
    /// Descriptors of this process, and the numbers that they get in the child. They are closed here after
    /// the start.
    private var given: [(descriptor: Int32, as: Int32)] = []

    /// Prepares a start; `run()` starts the child.
    ///
    /// - Parameters:
    ///   - program: the path of the program.
    ///   - environment: the child's variables as `name=value`.
    ///   - name: the name by which the program is called, its argument 0; nil for its path.
    ///   - startsGroup: whether the child leads a process group of its own instead of joining ours.
    package init(
        _ program: String,
        _ arguments: [String],
        environment: [String],
        name: String? = nil,
        startsGroup: Bool = false
    ) {
        self.program = program
        self.name = name ?? program
        self.arguments = arguments
        self.environment = environment
        self.startsGroup = startsGroup
    }

    /// Makes a pipe whose ends no child inherits by itself.
    ///
    /// - Throws: `Complaint` if the system makes no pipe, for example because too many descriptors are open.
    package static func pipe() throws(Complaint) -> (readEnd: Int32, writeEnd: Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe Glibc.pipe(&ends) == 0 else {
            throw Complaint("no pipe to be had: \(FileFailure.last().reason)")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Gives the child a descriptor under this number. `run()` closes the descriptor in this process, also if
    /// the start fails.
    package mutating func give(_ descriptor: Int32, as number: Int32) {
        self.given.append((descriptor, number))
    }

    /// Starts the child with our standard streams and the given descriptors, and no other descriptor.
    ///
    /// - Returns: the process id of the child, for `ProcessEnd.init(of:)`.
    /// - Throws: `Complaint` if the program cannot be started.
    package consuming func run() throws(Complaint) -> Int32 {
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
            for entry in self.given { close(entry.descriptor) }
        }
        for entry in self.given {
            unsafe posix_spawn_file_actions_adddup2(&actions, entry.descriptor, entry.as)
        }
        let last = max(STDERR_FILENO, self.given.map(\.as).max() ?? 0)
        unsafe posix_spawn_file_actions_addclosefrom_np(&actions, last + 1)
        // The child starts with no signal blocked and with every signal at its default action, whatever this
        // process blocks or ignores.
        var none = sigset_t()
        var all = sigset_t()
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        let flags =
            (self.startsGroup ? POSIX_SPAWN_SETPGROUP : 0) | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

        var pid: pid_t = 0
        let words = CStrings([self.name] + self.arguments)
        let environment = CStrings(self.environment)
        let status = unsafe posix_spawn(
            &pid,
            self.program,
            &actions,
            &attributes,
            words.pointers,
            environment.pointers
        )
        withExtendedLifetime((words, environment)) {}
        guard status == 0 else {
            throw Complaint("cannot start \(self.program): \(FileFailure(code: status).reason)")
        }
        return pid
    }
}

extension Spawn {
    /// Replaces this process by another program, which gets the standard streams, the environment and the process id.
    ///
    /// - Parameter program: the path of the program.
    /// - Returns: the reason why the program cannot be started. Otherwise the call does not return.
    package static func become(_ program: String, _ arguments: [String]) -> Complaint {
        let words = CStrings([program] + arguments)
        unsafe execv(program, words.pointers)
        let failure = FileFailure.last()
        withExtendedLifetime(words) {}
        return Complaint("cannot start \(program): \(failure.reason)")
    }
}

/// The end of a process: an exit code or a signal.
package enum ProcessEnd: Hashable, Sendable, CustomStringConvertible {
    /// The process has ended by itself with this exit code.
    case code(Int32)
    /// The process was killed by this signal.
    case signal(Int32)

    /// Reads a status of `waitpid`.
    package init(status: Int32) {
        let number = status & 0x7F
        self = number == 0 ? .code((status >> 8) & 0xFF) : .signal(number)
    }

    /// Blocks until a child has ended, and reaps it. Only its parent can do so, and only once.
    ///
    /// If the child cannot be waited for, the result is exit code 1.
    package init(of pid: Int32) {
        var status: Int32 = 0
        while unsafe waitpid(pid, &status, 0) < 0 {
            guard errno == EINTR else {
                self = .code(1)
                return
            }
        }
        self.init(status: status)
    }

    /// The exit code as a shell reports it: 128 and the signal's number for a killed process.
    package var shellCode: Int32 {
        switch self {
        case .code(let code): code
        case .signal(let number): 128 + number
        }
    }

    /// The end as the end of a sentence, such as "exit code 1".
    package var description: String {
        switch self {
        case .code(let code): "exit code \(code)"
        case .signal(let number): "killed by signal \(number)"
        }
    }
}

/// The reason why a system call failed, as the end of a sentence.
package struct FileFailure: Error, Hashable {
    /// The text of the error, such as "No such file or directory".
    package let reason: String

    /// Reads an error number (`errno`).
    package init(code: Int32) {
        self.reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "system error \(code)"
    }

    /// Returns the reason of the last failed call of this thread. Call it before any other system call.
    package static func last() -> FileFailure { FileFailure(code: errno) }
}

/// A list of C strings that ends with a null pointer. The strings are freed with this object.
@safe private final class CStrings {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ strings: [String]) {
        self.count = strings.count
        unsafe self.pointers = .allocate(capacity: strings.count + 1)
        for (index, string) in strings.enumerated() {
            unsafe (self.pointers + index).initialize(to: strdup(string))
        }
        unsafe (self.pointers + strings.count).initialize(to: nil)
    }

    deinit {
        for index in 0..<self.count { unsafe free(self.pointers[index]) }
        unsafe self.pointers.deallocate()
    }
}
