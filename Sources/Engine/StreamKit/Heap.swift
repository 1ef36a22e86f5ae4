internal import CMalloc

/// The way in which the C library's memory grows and shrinks.
enum Heap {
    /// Makes freed memory stay with the process, up to 16 MiB for each arena, and makes the heap grow in
    /// larger steps. glibc has at most eight arenas for a processor.
    ///
    /// Records come and go by the megabyte every few milliseconds. By default glibc returns such memory to
    /// the kernel at once and has it cleared again, which costs a tenth of all the work. See mallopt(3).
    static func keepFreedMemory() {
        // Setting one of these values ends glibc's own adjusting of all of them, so all are set. If glibc
        // refuses a value, the program is slower and still right.
        _ = mallopt(M_MMAP_THRESHOLD, 4 << 20)
        _ = mallopt(M_TRIM_THRESHOLD, 16 << 20)
        _ = mallopt(M_TOP_PAD, 1 << 20)
    }
}
