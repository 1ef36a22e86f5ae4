import Foundation
import ServiceKit
import Testing

/// The recorder in real processes, each killed in the middle of a record.
struct CrashRecorderProcessTests {
    @Test func outlivesEverySignal() async throws {
        let folder = try CrashFolderUnderTest()
        let path = folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let recorder = try CrashRecorder(folder: path)
            recorder.mark(topic: "activation", partition: 3, offset: 11)
            kill(getpid(), SIGKILL)
        }
        await #expect(processExitsWith: .signal(SIGABRT)) { [path = path as String] in
            let recorder = try CrashRecorder(folder: path)
            guard recorder.deaths(of: "activation", partition: 3, offset: 11) == 1 else { exit(1) }
            recorder.mark(topic: "activation", partition: 3, offset: 11)
            abort()
        }
        await #expect(processExitsWith: .failure) { [path = path as String] in
            let recorder = try CrashRecorder(folder: path)
            recorder.mark(topic: "activation", partition: 3, offset: 12)
            preconditionFailure("what a handler's trap looks like")
        }
        await #expect(processExitsWith: .success) { [path = path as String] in
            let recorder = try CrashRecorder(folder: path)
            recorder.mark(topic: "activation", partition: 3, offset: 13)
            recorder.clear()
            exit(0)
        }
        let recorder = try CrashRecorder(folder: path)
        #expect((10...14).map { recorder.deaths($0) } == [0, 2, 1, 0, 0])
        #expect(recorder.takeWarnings() == [])
    }

    @Test func waitsForWhoeverIsLookingAfterTheLedger() async throws {
        let folder = try CrashFolderUnderTest()
        let path = folder.path
        _ = try CrashRecorder(folder: path)
        let lock = try #require(FileHandle(forUpdatingAtPath: folder.file("lock")))
        #expect(flock(lock.fileDescriptor, LOCK_EX) == 0)
        // It would end well if it did not have to wait; so its alarm goes off.
        await #expect(processExitsWith: .signal(SIGALRM)) { [path = path as String] in
            alarm(1)
            _ = try CrashRecorder(folder: path)
            exit(0)
        }
        try lock.close()
        _ = try CrashRecorder(folder: path)
    }

    @Test func processesThatStartAndDieTogetherAreAllCounted() async throws {
        let folder = try CrashFolderUnderTest()
        let path = folder.path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for offset: Int64 in 0..<6 {
                group.addTask {
                    await #expect(processExitsWith: .signal(SIGKILL)) {
                        [path = path as String, offset = offset as Int64] in
                        let recorder = try CrashRecorder(folder: path)
                        for other: Int64 in 100..<10_000 {
                            recorder.mark(topic: "activation", partition: 3, offset: other)
                            recorder.clear()
                        }
                        recorder.mark(topic: "activation", partition: 3, offset: offset)
                        kill(getpid(), SIGKILL)
                    }
                }
            }
            try await group.waitForAll()
        }
        let recorder = try CrashRecorder(folder: path)
        #expect((0..<7).map { recorder.deaths($0) } == [1, 1, 1, 1, 1, 1, 0])
    }
}
