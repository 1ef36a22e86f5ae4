internal import CMalloc

/// How the C library's memory grows and shrinks.
enum Heap {
    /// Has what is given back stay with the process, up to 16 MiB for each arena, and what is asked for come in larger
    /// steps. glibc has at most eight arenas for a processor.
    ///
    /// Records come and go by the megabyte every few milliseconds. By default glibc returns such memory to the kernel
    /// at once and has it cleared again, which costs a tenth of all the work. See mallopt(3).
    static func keepFreedMemory() {
        // To set one of them ends the adjusting of all, so all are set. Where glibc refuses, it is slower, and right.
        _ = mallopt(M_MMAP_THRESHOLD, 4 << 20)
        _ = mallopt(M_TRIM_THRESHOLD, 16 << 20)
        _ = mallopt(M_TOP_PAD, 1 << 20)
    }
}
