internal import CSpawn
import Glibc

/// What posix_spawn has to be told, kept together until it is told.
///
/// Instead of Foundation's `Process`, which reads past the end of a buffer when it starts a program, and now and then
/// dies of that (swift-corelibs-foundation#5472, in 6.3.1).
package struct Spawn {
    private let program: String
    private let arguments: [String]
    private let environment: [String]
    private let startsGroup: Bool
    /// Our end of the child's descriptors; closed here once the child has them.
    private var given: [(descriptor: Int32, as: Int32)] = []

    /// - Parameters:
    ///   - program: its path.
    ///   - environment: as `name=value`.
    ///   - startsGroup: whether the child leads a process group of its own instead of joining ours.
    package init(_ program: String, _ arguments: [String], environment: [String], startsGroup: Bool = false) {
        self.program = program
        self.arguments = arguments
        self.environment = environment
        self.startsGroup = startsGroup
    }

    /// A pipe that no other child inherits.
    package static func pipe() throws(Complaint) -> (readEnd: Int32, writeEnd: Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe Glibc.pipe(&ends) == 0 else {
            throw Complaint("no pipe to be had: \(FileFailure.last().reason)")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Gives the child a descriptor under this number. It is closed here once the child has it.
    package mutating func give(_ descriptor: Int32, as number: Int32) {
        self.given.append((descriptor, number))
    }

    /// Starts the child with our standard streams and what it was given, and no other descriptor.
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
        // Neither the signals that we hold back nor those we ignore are the child's business.
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
        let words = CStrings([self.program] + self.arguments)
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

/// How a process ended.
package enum ProcessEnd: Hashable, Sendable, CustomStringConvertible {
    case code(Int32)
    case signal(Int32)

    /// As `waitpid` gives it.
    package init(status: Int32) {
        let number = status & 0x7F
        self = number == 0 ? .code((status >> 8) & 0xFF) : .signal(number)
    }

    /// Waits for the end of a child, and takes note of it: nobody else can.
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

    /// As a shell would say it.
    package var shellCode: Int32 {
        switch self {
        case .code(let code): code
        case .signal(let number): 128 + number
        }
    }

    package var description: String {
        switch self {
        case .code(let code): "exit code \(code)"
        case .signal(let number): "killed by signal \(number)"
        }
    }
}

/// Why a call of the system failed, as the end of a sentence.
package struct FileFailure: Error, Hashable {
    package let reason: String

    package init(code: Int32) {
        self.reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "system error \(code)"
    }

    package static func last() -> FileFailure { FileFailure(code: errno) }
}

/// A list of C strings that ends with nil, freed with this object.
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
