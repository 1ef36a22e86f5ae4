import Glibc
import Synchronization

/// A file in memory in which a running worker says which record it is handling; see `CrashMark`.
///
/// The memory is shared with the file, so what was stored in it is there whatever ends the process, SIGKILL
/// included; only the end of the machine may take it away. The descriptor holds a lock that the kernel gives back
/// when the process ends, and that is how others tell the dead from the living.
@safe final class CrashSlot {
    private let descriptor: Int32
    private let memory: UnsafeMutableRawPointer
    private let isSet: UnsafeMutablePointer<Atomic<UInt64>>
    /// What is written there already. Records of one topic come in long rows.
    private var topic = ""

    /// Takes over a locked descriptor, and makes the slot this run's own.
    ///
    /// - Returns: nil if there is no room for it on the disk or in memory; then the descriptor is closed.
    init?(owning descriptor: Int32, run: UInt64) {
        let size = CrashMark.bytes
        // Room on the disk now: to find none later would end the process when it stores.
        guard CrashFolder.fill(descriptor, with: CrashMark.blank(run: run)),
            let memory = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
            unsafe memory != MAP_FAILED
        else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        unsafe self.memory = memory
        unsafe self.isSet = (memory + CrashMark.Layout.isSet).bindMemory(to: Atomic<UInt64>.self, capacity: 1)
    }

    /// Leaves the mark as it is, as the end of the process would.
    deinit {
        unsafe munmap(self.memory, CrashMark.bytes)
        close(self.descriptor)
    }

    func mark(topic: String, partition: Int32, offset: Int64) {
        // The kernel keeps the order of what is stored, and these two keep the compiler from changing it.
        atomicMemoryFence(ordering: .acquiringAndReleasing)
        if topic != self.topic { self.write(topic) }
        unsafe self.memory.storeBytes(
            of: offset.littleEndian,
            toByteOffset: CrashMark.Layout.offset,
            as: Int64.self
        )
        unsafe self.memory.storeBytes(
            of: partition.littleEndian,
            toByteOffset: CrashMark.Layout.partition,
            as: Int32.self
        )
        unsafe self.isSet.pointee.store(UInt64(1).littleEndian, ordering: .releasing)
    }

    func clear() { unsafe self.isSet.pointee.store(0, ordering: .releasing) }

    private func write(_ topic: String) {
        self.topic = topic
        var length: UInt32 = 0
        // A longer name is no topic of Kafka's; without a length the mark means no record.
        if topic.utf8.count <= CrashLedger.Place.topicLimit {
            for byte in topic.utf8 {
                unsafe self.memory.storeBytes(
                    of: byte,
                    toByteOffset: CrashMark.Layout.topic + Int(length),
                    as: UInt8.self
                )
                length += 1
            }
        }
        unsafe self.memory.storeBytes(
            of: length.littleEndian,
            toByteOffset: CrashMark.Layout.topicLength,
            as: UInt32.self
        )
    }
}
