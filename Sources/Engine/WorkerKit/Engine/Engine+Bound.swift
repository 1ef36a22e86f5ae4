package import ServiceKit

// The end of a run that reads a part of its input.
extension Engine {
    /// Whether each record of the input before these bounds is settled and committed, as far as it was read: none is in
    /// hand and none is parked. Records in retry topics are not asked about.
    package func isInputSettled(before bounds: ReadBounds) -> Bool {
        self.phase == .working && self.recall == nil && self.table.count == 0 && !self.isCommitOutstanding
            && self.assignments.allSatisfy {
                !$0.isDirty && !$0.parked.hasAny(before: bounds[$0.partition] ?? .max)
            }
    }
}
