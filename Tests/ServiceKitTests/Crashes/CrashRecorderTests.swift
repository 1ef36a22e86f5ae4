import Foundation
import Logging
import ServiceKit
import Testing
import WorkerTestSupport

struct CrashRecorderTests {
    private let folder: CrashFolderUnderTest

    init() throws { self.folder = try CrashFolderUnderTest() }

    /// A worker that dies while it handles a record. To let go of the recorder without clearing the mark is what the
    /// kernel does for a process that ends; `CrashRecorderProcessTests` shows it with real ones.
    private func die(of offset: Int64) throws {
        let recorder = try CrashRecorder(folder: self.folder.path)
        recorder.mark(offset)
    }

    @Test func aRecordIsChargedWithEveryDeathAndTheThirdStartKnows() throws {
        for deaths in 0...3 {
            let recorder = try CrashRecorder(folder: self.folder.path)
            #expect(recorder.deaths(1_042) == deaths)
            #expect(recorder.deaths(1_041) == 0)
            #expect(recorder.hasDeaths == (deaths > 0))
            #expect(recorder.takeWarnings() == [])
            recorder.mark(1_042)
        }
    }

    @Test func whoEndsWithoutAMarkIsChargedToNobody() throws {
        for _ in 0..<3 {
            let recorder = try CrashRecorder(folder: self.folder.path)
            #expect(!recorder.hasDeaths)
            recorder.mark(1)
            recorder.clear()
            recorder.mark(2)
            recorder.clear()
        }
        #expect(self.folder.text(of: "ledger") == "")
    }

    @Test func theLastMarkCountsAndNotThoseBefore() throws {
        do {
            let recorder = try CrashRecorder(folder: self.folder.path)
            recorder.mark(topic: "a-very-long-topic-name", partition: 9, offset: 1)
            recorder.clear()
            recorder.mark(topic: "short", partition: 0, offset: .max)
        }
        let recorder = try CrashRecorder(folder: self.folder.path)
        #expect(recorder.deaths(of: "short", partition: 0, offset: .max) == 1)
        #expect(recorder.deaths(of: "a-very-long-topic-name", partition: 9, offset: 1) == 0)
        #expect(recorder.deaths(of: "short", partition: 1, offset: .max) == 0)
    }

    @Test func aNameThatIsNoTopicIsChargedToNothing() throws {
        do {
            let recorder = try CrashRecorder(folder: self.folder.path)
            recorder.mark(topic: String(repeating: "t", count: 5_000), partition: 0, offset: 0)
        }
        let recorder = try CrashRecorder(folder: self.folder.path)
        #expect(!recorder.hasDeaths)
        #expect(recorder.takeWarnings().count == 1)
    }

    /// Two clusters have a record at one offset of one topic, and only one of the two records is deadly.
    @Test func aDeathBelongsToTheClusterOfItsRecord() throws {
        for _ in 0..<2 { try CrashRecorder(folder: self.folder.path, of: "production").mark(7) }
        #expect(try CrashRecorder(folder: self.folder.path, of: "staging/../production").deaths(7) == 0)
        #expect(try CrashRecorder(folder: self.folder.path, of: "production").deaths(7) == 2)
    }

    @Test func whatIsForgivenIsForgottenByAll() throws {
        try self.die(of: 7)
        try self.die(of: 7)
        try self.die(of: 8)
        let recorder = try CrashRecorder(folder: self.folder.path)
        let other = try CrashRecorder(folder: self.folder.path)
        #expect(recorder.deaths(7) == 2 && other.deaths(7) == 2)
        recorder.forgive(topic: "activation", partition: 3, offset: 7)
        #expect(recorder.deaths(7) == 0)
        #expect(recorder.deaths(8) == 1)
        other.takeStock()
        #expect(other.deaths(7) == 0)
        #expect(try CrashRecorder(folder: self.folder.path).deaths(7) == 0)
        #expect(recorder.takeWarnings() == [] && other.takeWarnings() == [])
    }

    @Test func theLivingLearnOfADeathWhenTheyTakeStock() throws {
        let survivor = try CrashRecorder(folder: self.folder.path)
        survivor.mark(99)
        try self.die(of: 5)
        #expect(survivor.deaths(5) == 0)
        survivor.takeStock()
        #expect(survivor.deaths(5) == 1)
        // A record that a living worker is handling is no death, and stays marked.
        #expect(survivor.deaths(99) == 0)
        let other = try CrashRecorder(folder: self.folder.path)
        #expect(other.deaths(99) == 0)
        #expect(other.deaths(5) == 1)
    }

    @Test func deathsOfSeveralWorkersAtOnceAllCount() throws {
        do {
            let workers = try (0..<5).map { _ in try CrashRecorder(folder: self.folder.path) }
            for (index, worker) in workers.enumerated() { worker.mark(index < 3 ? 1 : 2) }
        }
        let recorder = try CrashRecorder(folder: self.folder.path)
        #expect(recorder.deaths(1) == 3)
        #expect(recorder.deaths(2) == 2)
    }

    @Test func nobodyIsChargedTwiceIfTheLedgerWasWrittenAndTheMarksWereNotCleared() throws {
        try self.die(of: 6)
        let marked = try Data(contentsOf: URL(fileURLWithPath: self.folder.file("slot-00")))
        #expect(try CrashRecorder(folder: self.folder.path).deaths(6) == 1)
        // As if that one had died between the two.
        try marked.write(to: URL(fileURLWithPath: self.folder.file("slot-00")))
        #expect(try CrashRecorder(folder: self.folder.path).deaths(6) == 1)
        // The mark is gone by now: forgiven, it does not come back.
        try CrashRecorder(folder: self.folder.path).forgive(topic: "activation", partition: 3, offset: 6)
        #expect(try CrashRecorder(folder: self.folder.path).deaths(6) == 0)
    }

    @Test func aMarkThatCouldNotBeSavedStaysForTheNext() throws {
        try self.die(of: 4)
        // Nothing can be put in the place of a folder that is not empty.
        try FileManager.default.createDirectory(
            atPath: self.folder.file("ledger.new/x"),
            withIntermediateDirectories: true
        )
        do {
            let recorder = try CrashRecorder(folder: self.folder.path)
            #expect(recorder.deaths(4) == 1)
            #expect(recorder.takeWarnings().count == 1)
            #expect(self.folder.text(of: "ledger") == "")
        }
        try FileManager.default.removeItem(atPath: self.folder.file("ledger.new"))
        #expect(try CrashRecorder(folder: self.folder.path).deaths(4) == 1)
        #expect(self.folder.text(of: "ledger").contains("activation/3/4 "))
    }

    @Test func sixtyFourShareAFolderAndTheNextIsToldSo() throws {
        var workers = try (0..<CrashRecorder.slots).map { _ in try CrashRecorder(folder: self.folder.path) }
        let failure = #expect(throws: CrashRecorder.Failure.self) {
            try CrashRecorder(folder: self.folder.path)
        }
        #expect("\(failure.map { "\($0)" } ?? "")".contains("all 64 slots of the folder \(self.folder.path)"))
        workers.removeFirst()
        _ = try CrashRecorder(folder: self.folder.path)
        #expect(self.folder.names.count { $0.hasPrefix("slot-") } == 64)
    }

    @Test func recordersThatStartAtOnceGetInNobodysWay() async throws {
        for offset: Int64 in 1...8 { try self.die(of: offset) }
        let path = self.folder.path
        let found = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    var deaths = 0
                    for _ in 0..<5 {
                        let recorder = try CrashRecorder(folder: path)
                        recorder.mark(50)
                        recorder.takeStock()
                        deaths = (1...8).map { recorder.deaths($0) }.reduce(0, +)
                        recorder.clear()
                        guard recorder.takeWarnings().isEmpty else { return -1 }
                    }
                    return deaths
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(found == [Int](repeating: 8, count: 40))
        #expect(try CrashRecorder(folder: path).deaths(50) == 0)
    }

    @Test func ofRecordersThatDieAtOnceNoneIsLost() async throws {
        let path = self.folder.path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for offset: Int64 in 0..<50 {
                group.addTask { try CrashRecorder(folder: path).mark(offset) }
            }
            try await group.waitForAll()
        }
        let recorder = try CrashRecorder(folder: path)
        #expect((0..<50).allSatisfy { recorder.deaths($0) == 1 })
    }
}

extension CrashRecorderTests {
    @Test func filesAreForNobodyElse() throws {
        try self.die(of: 1)
        _ = try CrashRecorder(folder: self.folder.path)
        #expect(self.folder.names == ["ledger", "lock", "slot-00"])
        for name in self.folder.names { #expect(try self.folder.mode(of: name) == 0o600) }
        #expect(try self.folder.mode(of: "") == 0o700)
    }

    @Test(arguments: [0o722, 0o770, 0o777])
    func aFolderThatOthersCanWriteToIsRefused(mode: Int) throws {
        try FileManager.default.createDirectory(atPath: self.folder.path, withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: self.folder.path)
        let failure = #expect(throws: CrashRecorder.Failure.self) {
            try CrashRecorder(folder: self.folder.path)
        }
        #expect("\(failure.map { "\($0)" } ?? "")".contains("can be written by others"))
    }

    @Test func aFolderOfSomebodyElseIsRefused() throws {
        guard geteuid() == 0 else { return }
        try FileManager.default.createDirectory(atPath: self.folder.path, withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.ownerAccountID: 12_345], ofItemAtPath: self.folder.path)
        let failure = #expect(throws: CrashRecorder.Failure.self) {
            try CrashRecorder(folder: self.folder.path)
        }
        #expect("\(failure.map { "\($0)" } ?? "")".contains("belongs to another user"))
    }

    @Test func aLinkIsNoFolder() throws {
        let target = try CrashFolderUnderTest()
        try FileManager.default.createDirectory(atPath: target.path, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: self.folder.path, withDestinationPath: target.path)
        #expect(throws: CrashRecorder.Failure.self) { try CrashRecorder(folder: self.folder.path) }
        #expect(target.names.isEmpty)
    }

    @Test func aFolderThatCannotBeMadeIsToldOf() {
        let failure = #expect(throws: CrashRecorder.Failure.self) {
            try CrashRecorder(folder: self.folder.path + "/a/b")
        }
        #expect("\(failure.map { "\($0)" } ?? "")".contains("No such file"))
    }

    @Test func corruptFilesAreToldOfAndReplaced() throws {
        try self.die(of: 1)
        try self.folder.write("not a slot", to: "slot-00")
        try self.folder.write(String(repeating: "x", count: 100_000), to: "slot-01")
        try self.folder.write("not a ledger", to: "ledger")
        do {
            let recorder = try CrashRecorder(folder: self.folder.path)
            #expect(!recorder.hasDeaths)
            let warnings = recorder.takeWarnings()
            #expect(warnings.count == 3)
            for name in ["slot-00", "slot-01", "ledger"] {
                #expect(warnings.contains { $0.contains("\(self.folder.path)/\(name)") })
            }
            #expect(recorder.takeWarnings().isEmpty)
            recorder.mark(2)
        }
        let recorder = try CrashRecorder(folder: self.folder.path)
        #expect(recorder.takeWarnings() == [])
        #expect(recorder.deaths(2) == 1)
    }

    @Test func aLedgerIsReadAsFarAsItMakesSense() throws {
        _ = try CrashRecorder(folder: self.folder.path)
        let good = "activation/3/7 0000000000000abc 0000000000000def\n"
        try self.folder.write("flotilla crash ledger 1\nrubbish\n\(good)activation/3/8 00", to: "ledger")
        let recorder = try CrashRecorder(folder: self.folder.path)
        #expect(recorder.deaths(7) == 2)
        #expect(recorder.deaths(8) == 0)
        let warnings = recorder.takeWarnings()
        #expect(warnings.count == 1 && warnings[0].contains("2 lines"))
    }

    @Test func linksInThePlaceOfFilesAreNotFollowed() throws {
        let victim = try CrashFolderUnderTest()
        try FileManager.default.createDirectory(atPath: victim.path, withIntermediateDirectories: false)
        try victim.write("precious", to: "file")
        try victim.write("dear", to: "other")
        _ = try CrashRecorder(folder: self.folder.path)
        for name in ["slot-00", "slot-01", "ledger", "ledger.new", "lock"] {
            try? FileManager.default.removeItem(atPath: self.folder.file(name))
            try FileManager.default.createSymbolicLink(
                atPath: self.folder.file(name),
                withDestinationPath: victim.file("file")
            )
        }
        try FileManager.default.linkItem(atPath: victim.file("other"), toPath: self.folder.file("slot-02"))
        try self.die(of: 1)
        #expect(try CrashRecorder(folder: self.folder.path).deaths(1) == 1)
        #expect(victim.text(of: "file") == "precious")
        #expect(victim.text(of: "other") == "dear")
    }

    @Test func whatCannotBeReplacedIsLeftOut() throws {
        try FileManager.default.createDirectory(
            atPath: self.folder.file("slot-00"),
            withIntermediateDirectories: true
        )
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: self.folder.path)
        do {
            let recorder = try CrashRecorder(folder: self.folder.path)
            #expect(recorder.takeWarnings().count == 1)
            recorder.mark(3)
        }
        #expect(try CrashRecorder(folder: self.folder.path).deaths(3) == 1)
    }
    @Test func whereNoRecorderCanBeTheLogSaysSo() async {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        let logger = Logger(label: "crashes") { _ in StreamedLog(continuation) }
        #expect(CrashRecorder(folder: self.folder.path, of: "c", telling: logger) != nil)
        #expect(CrashRecorder(folder: self.folder.path + "/a/b", of: "c", telling: logger) == nil)
        continuation.finish()
        let told = await lines.reduce(into: []) { $0.append($1) }
        #expect(told.count == 1 && told.allSatisfy { $0.hasPrefix("no crash guard cannot make the folder") })
    }
}
