import Glibc

/// The resources of this process, under the names that Prometheus' own client libraries use. They are read at
/// every scrape. A number that the system does not tell is left out.
package enum ProcessMetrics {
    /// Adds the metrics of this process to a registry.
    package static func add(to registry: PrometheusRegistry) {
        self.describe(in: registry)
        registry.sampleCounter("process_cpu_seconds_total") { self.cpuSeconds }
        registry.sampleGauge("process_resident_memory_bytes") { self.memory?.resident }
        registry.sampleGauge("process_virtual_memory_bytes") { self.memory?.virtual }
        registry.sampleGauge("process_open_fds") { self.openDescriptors }
        registry.sampleGauge("process_max_fds") { self.descriptorLimit }
        let start = self.startSeconds
        registry.sampleGauge("process_start_time_seconds") { start }
    }

    /// Sets the help texts.
    package static func describe(in registry: PrometheusRegistry) {
        for (name, help) in [
            ("process_cpu_seconds_total", "User and system CPU time of the process."),
            ("process_resident_memory_bytes", "Memory of the process that is in RAM."),
            ("process_virtual_memory_bytes", "Address space of the process."),
            ("process_open_fds", "Open file descriptors."),
            ("process_max_fds", "File descriptors that the process may have open."),
            ("process_start_time_seconds", "Start of the process, in seconds since 1970."),
        ] { registry.describe(name, help: help) }
    }

    private static var cpuSeconds: Double? { self.seconds(of: CLOCK_PROCESS_CPUTIME_ID) }

    private static func seconds(of clock: clockid_t) -> Double? {
        var time = timespec()
        guard unsafe clock_gettime(clock, &time) == 0 else { return nil }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static var memory: (virtual: Double, resident: Double)? {
        guard let fields = self.words(of: "/proc/self/statm"), fields.count >= 2,
            let virtual = Double(fields[0]), let resident = Double(fields[1])
        else { return nil }
        let page = Double(sysconf(Int32(_SC_PAGESIZE)))
        return (virtual * page, resident * page)
    }

    private static var openDescriptors: Double? {
        guard let folder = unsafe opendir("/proc/self/fd") else { return nil }
        defer { unsafe closedir(folder) }
        var count = 0
        while unsafe readdir(folder) != nil { count += 1 }
        // The two entries for the folders themselves, and the descriptor of this look, are not counted.
        return Double(max(0, count - 3))
    }

    private static var descriptorLimit: Double? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return limit.rlim_cur == rlim_t.max ? .infinity : Double(limit.rlim_cur)
    }

    /// The start of the process in seconds since 1970: the present, less the age of the process. The system
    /// tells the start in clock ticks since the machine booted.
    private static var startSeconds: Double? {
        // The second field is the name of the program in parentheses, which can have spaces. The start is the
        // twentieth field after it.
        guard let text = self.text(of: "/proc/self/stat"), let end = text.lastIndex(of: ")"),
            let ticks = text[end...].split(separator: " ").dropFirst(20).first.flatMap({ Double($0) }),
            let now = self.seconds(of: CLOCK_REALTIME), let uptime = self.seconds(of: CLOCK_BOOTTIME)
        else { return nil }
        return now - (uptime - ticks / Double(sysconf(Int32(_SC_CLK_TCK))))
    }

    private static func words(of path: String) -> [Substring]? {
        self.text(of: path)?.split(whereSeparator: \.isWhitespace)
    }

    private static func text(of path: String) -> String? {
        (try? SmallFile(path: path, limit: 16_384)).map { String(decoding: $0.bytes, as: UTF8.self) }
    }
}
