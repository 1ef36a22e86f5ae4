package import Records

/// The plan of a replay whose records are changed by a script, looked at record by record.
package struct MendedPlan: Sendable {
    /// The plan without the letters that the script does not change, or cannot change; these are refused.
    package var plan: ReplayPlan
    /// The differences in the first letters, masked as `show` masks them.
    package var samples: [(letter: LetterID, differences: [FieldDifference])] = []
    /// The reasons why letters cannot be changed so, each with the number of letters.
    package var faults: [DeadLetterPayload.EditFault: Int] = [:]

    /// The faults, the most common ones first.
    package var commonFaults: [(fault: DeadLetterPayload.EditFault, letters: Int)] {
        self.faults.sorted { ($1.value, $0.key.sentence) < ($0.value, $1.key.sentence) }
            .map { (fault: $0.key, letters: $0.value) }
    }

    /// Creates a plan of which no letter has been looked at.
    package init(plan: ReplayPlan) { self.plan = plan }
}

extension Desk {
    /// The number of records that are held at once while a script is tried on them.
    private static let mendingLimit = 200

    /// Tries a script on the records of a plan, and changes nothing.
    ///
    /// - Parameters:
    ///   - samples: the number of letters whose differences are shown.
    ///   - isStopped: asked now and then; true ends the look, and the plan is without the rest of the letters.
    /// - Throws: errors of the cluster.
    package func mended(
        _ plan: ReplayPlan,
        by script: PayloadScript,
        samples: Int,
        isStopped: () -> Bool = { false }
    ) throws -> MendedPlan {
        var mended = MendedPlan(plan: plan)
        mended.plan.items = []
        var rest = plan.items[...]
        while !rest.isEmpty, !isStopped() {
            let chunk = rest.prefix(Self.mendingLimit)
            rest = rest.dropFirst(chunk.count)
            let records = try OriginalRecords(self.reader).records(of: chunk.map(\.letter))
            for item in chunk {
                let found = records[item.letter.position]
                self.add(item, found, changedBy: script, to: &mended, samples: samples)
            }
        }
        return mended
    }

    /// Returns the differences that another value makes in a record, masked as `show` masks them.
    ///
    /// - Parameter payload: The payload of the record as it is.
    package func differences(_ record: InboundRecord, _ payload: DeadLetterPayload, with value: [UInt8])
        -> [FieldDifference]
    {
        var record = record
        record.value = value
        let new = DeadLetterPayload(of: record, schema: payload.schema, findsFaults: false)
        return FieldDifference.between(payload, new, masking: self.mask.masked)
    }

    private func add(
        _ item: ReplayPlan.Item,
        _ found: OriginalRecords.Found?,
        changedBy script: PayloadScript,
        to mended: inout MendedPlan,
        samples: Int
    ) {
        guard let found else { return mended.plan.refusals.append((item.letter, .gone)) }
        let payload = found.payload
        do throws(DeadLetterPayload.EditFault) {
            guard let value = try payload.changed(by: script) else {
                return mended.plan.refusals.append((item.letter, .unchanged))
            }
            mended.plan.items.append(item)
            guard mended.samples.count < samples else { return }
            mended.samples.append((item.letter.id, self.differences(found.record, payload, with: value)))
        } catch {
            mended.plan.refusals.append((item.letter, .notMended))
            // The place in the text is that of a text that nobody has seen.
            let fault = DeadLetterPayload.EditFault(error.sentence, code: error.code)
            mended.faults[fault, default: 0] += 1
        }
    }
}
