import Glibc
import Synchronization

/// A file, mapped into memory, in which a running worker notes the record that it is handling (`CrashMark`).
///
/// The memory is shared with the file, so what was stored in it remains whatever ends the process, SIGKILL
/// included. Only the end of the machine may take it away. The descriptor holds a lock that the kernel
/// releases when the process ends; by that lock, other processes tell a dead owner from a living one.
@safe package final class CrashSlot {
    private let descriptor: Int32
    private let memory: UnsafeMutableRawPointer
    private let isSet: UnsafeMutablePointer<Atomic<UInt64>>
    /// The topic that is written in the slot. Many records in a row have the same topic, so it is rarely
    /// written again.
    private var topic = ""

    /// Takes over a locked descriptor, and writes an empty mark of this run.
    ///
    /// - Returns: Nil if there is no room on the disk or in memory; then the descriptor is closed.
    package init?(owning descriptor: Int32, run: UInt64) {
        let size = CrashMark.bytes
        // The room on the disk is taken now. If it were missing later, a store into the memory would end the
        // process.
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

    package func mark(topic: String, partition: Int32, offset: Int64) {
        // The kernel keeps the order of the stores. This fence and the releasing store below keep the
        // compiler from changing it.
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

    package func clear() { unsafe self.isSet.pointee.store(0, ordering: .releasing) }

    private func write(_ topic: String) {
        self.topic = topic
        var length: UInt32 = 0
        // A longer name is not a topic of Kafka's. Without a length the mark means no record.
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
