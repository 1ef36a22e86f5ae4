import Glibc
import Terminal

/// What posix_spawn has to be told, kept together until it is told.
struct Spawn {
    private let program: String
    private let arguments: [String]
    private let startsGroup: Bool
    /// Our end of the child's descriptors; closed here once the child has them.
    private var given: [(descriptor: Int32, as: Int32)] = []

    /// - Parameter startsGroup: whether the child leads a process group of its own instead of joining ours.
    init(_ program: String, _ arguments: [String], startsGroup: Bool) {
        self.program = program
        self.arguments = arguments
        self.startsGroup = startsGroup
    }

    /// A pipe that no other child inherits.
    static func pipe() throws(Complaint) -> (readEnd: Int32, writeEnd: Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe Glibc.pipe(&ends) == 0 else {
            throw Complaint("no pipe to be had: \(FileFailure.last().reason)")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    mutating func give(_ descriptor: Int32, as number: Int32) { self.given.append((descriptor, number)) }

    consuming func run() throws(Complaint) -> pid_t {
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
        let environment = CStrings(Self.environment)
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

    /// Settings of workers can come from the environment, and so can proxies: a child starts with neither.
    private static var environment: [String] {
        let names = ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "LD_LIBRARY_PATH", "ASAN_OPTIONS"]
        return names.compactMap { name in
            guard let value = unsafe getenv(name) else { return nil }
            return "\(name)=\(unsafe String(cString: value))"
        }
    }
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
