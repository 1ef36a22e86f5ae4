import Simulation
import Testing

extension StreamSimulation {
    /// Appends so many items to a partition of the input, all of them different.
    func append(_ items: Range<Int>, to partition: Int32 = 0) {
        for item in items { self.cluster.append("i\(item)", key: "g", to: partition) }
    }

    /// Lets everything be counted, told and added up, and finds nothing wrong with it.
    func expectEverythingSettled(sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try self.settleEverything(), sourceLocation: sourceLocation)
        self.judgeTheEnd()
        #expect(self.violations == [], sourceLocation: sourceLocation)
    }
}

extension StreamWorker {
    /// How many partitions have been read back.
    var restores: Int { self.log.count("read back the state") }
}
