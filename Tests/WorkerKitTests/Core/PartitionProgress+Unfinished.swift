import WorkerKit

extension PartitionProgress {
    /// The number of offsets that were taken up and are not done.
    var unfinishedCount: Int { self.inHandCount - self.finishedCount }
}
