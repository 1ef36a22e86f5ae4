import Kafka
import WireFormats

// Records that wait for an endpoint, a lane or a budget take up what others need. Before the bounds on what is in hand stop
// the intake, this chooses which of them leave memory (`Engine+Parking`). Some of each room stay in hand, to be its probes.
//
// While no endpoint works, those leave that have failed, because somebody above suspicion may show that one is well. Others
// leave too, as long as few are parked: whoever shows it may be among those that have not come in yet.
extension Engine {
    /// Parks what is in the way, if something is.
    func relieveIfCrowded() {
        guard self.isReliefWanted, self.now.monotonic >= self.nextRelief else { return }
        self.nextRelief = self.now.after(.milliseconds(100))
        self.thinOut(onlyUnparked: !self.isCrowded)
    }

    var isReliefWanted: Bool {
        self.lot != nil && self.recall == nil && (self.isCrowded || self.isUnparkingStuck)
    }

    /// Whether what is in hand comes near one of its bounds.
    private var isCrowded: Bool {
        self.table.count >= self.settings.recordsLimit / 4 * 3
            || self.bytesInHand >= self.settings.bytesLimit / 4 * 3
            || self.assignments.contains {
                ($0.progress?.inHandCount ?? 0) >= PartitionProgress.window / 4 * 3
            }
    }

    /// How much of one room stays in hand.
    private struct Share {
        var records: Int
        var bytes: Int
    }

    private func thinOut(onlyUnparked: Bool) {
        let rooms = max(1, self.endpoints.count + self.held.count + self.condemned.count + 1)
        let records = onlyUnparked ? self.unparkedLimit : self.settings.recordsLimit
        let bytes = onlyUnparked ? self.unparkedBytesLimit : self.settings.bytesLimit
        let share = Share(records: max(1, min(64, records / 4 / rooms)), bytes: bytes / 4 / rooms)
        self.thinOutEndpoints(share, onlyUnparked)
        self.thinOutFailed(share, onlyUnparked)
        self.thinOutLanes(share, onlyUnparked)
        self.thinOutBudgets(share, onlyUnparked)
        self.thinOutRetries(share, onlyUnparked)
        self.thinOutKeys(onlyUnparked)
    }

    private func thinOutEndpoints(_ share: Share, _ onlyUnparked: Bool) {
        for index in self.endpoints.indices {
            guard !self.endpoints[index].blocked.isEmpty else { continue }
            let isOfUse = self.hasUseForRoom(besides: index)
            let room = WaitingRoom.endpoint(self.endpoints[index].identity.name)
            let ids = self.endpoints[index].blocked.elements.filter { isOfUse || self.table[$0].hasFailed }
            let surplus = self.surplus(of: ids, .blocked, in: room, share, onlyUnparked)
            self.endpoints[index].blocked.keep { !surplus.contains($0) }
            self.park(surplus, of: ids, in: room)
        }
    }

    /// Records whose own wait is over, and whose endpoint is in doubt since they failed there.
    private func thinOutFailed(_ share: Share, _ onlyUnparked: Bool) {
        for index in self.endpoints.indices where self.endpoints[index].breaker.state != .closed {
            let room = WaitingRoom.endpoint(self.endpoints[index].identity.name)
            let ids = self.ready.elements.filter {
                self.table.state(of: $0) == .ready && self.table[$0].hasFailed
                    && self.table[$0].endpoint == index
            }
            let surplus = self.surplus(of: ids, .ready, in: room, share, onlyUnparked)
            guard !surplus.isEmpty else { continue }
            self.ready.keep { !surplus.contains($0) }
            self.park(surplus, of: ids, in: room)
        }
    }

    /// Whether somebody else has a use for the room of those that wait for this endpoint. Where all others are in doubt as
    /// well, records of theirs that have not come in yet may have: this is tried with so many that a long outage of all of
    /// them does not fill the parking topic.
    private func hasUseForRoom(besides index: Int) -> Bool {
        let others = self.endpoints.indices.filter { $0 != index }
        return others.contains { self.endpoints[$0].breaker.state == .closed }
            || !others.isEmpty && self.parkedTickets < self.settings.recordsLimit * 2
    }

    private func thinOutLanes(_ share: Share, _ onlyUnparked: Bool) {
        for lane in self.held.keys.sorted() where lane != Lanes.upstream {
            let ids = self.held[lane]?.elements ?? []
            let surplus = self.surplus(of: ids, .held, in: .lane(lane), share, onlyUnparked)
            self.held[lane]?.keep { !surplus.contains($0) }
            if self.held[lane]?.isEmpty == true { self.held[lane] = nil }
            self.park(surplus, of: ids, in: .lane(lane))
        }
    }

    private func thinOutBudgets(_ share: Share, _ onlyUnparked: Bool) {
        for account in self.condemned.keys.sorted(by: { ($0.lane, $0.reason) < ($1.lane, $1.reason) }) {
            let room = WaitingRoom.budget(lane: account.lane, reason: account.reason)
            let ids = self.condemned[account]?.elements ?? []
            let surplus = self.surplus(of: ids, .condemned, in: room, share, onlyUnparked)
            self.condemned[account]?.keep { !surplus.contains($0) }
            if self.condemned[account]?.isEmpty == true { self.condemned[account] = nil }
            self.park(surplus, of: ids, in: room)
        }
    }

    /// Records whose own next try is a while off.
    private func thinOutRetries(_ share: Share, _ onlyUnparked: Bool) {
        let soon = self.now.after(.seconds(5))
        let waiting = self.backingOff.elements.filter { $0.due > soon }
        for endpoint in self.endpoints.indices {
            let room = WaitingRoom.endpoint(self.endpoints[endpoint].identity.name)
            let ids = waiting.map(\.element).filter {
                self.table.state(of: $0) == .backingOff && self.table[$0].endpoint == endpoint
            }
            let surplus = self.surplus(of: ids, .backingOff, in: room, share, onlyUnparked)
            guard !surplus.isEmpty else { continue }
            self.backingOff.keep { !surplus.contains($0) }
            let leaving = waiting.filter { surplus.contains($0.element) }
            for (id, due) in leaving.sorted(by: { self.isBefore($0.element, $1.element) }) {
                self.parkWithFollowers(id, in: room, notBefore: due)
            }
        }
    }

    /// Long queues of one key whose first record waits for nothing but its turn.
    private func thinOutKeys(_ onlyUnparked: Bool) {
        let firsts = self.table.ids.filter { self.hasOthersBehind($0) }
        guard !firsts.isEmpty else { return }
        let kept = onlyUnparked ? self.followersKept(ofEach: firsts.count) : Self.followersKept
        // Their room is open, so without a pause they would be read again at once.
        let due = onlyUnparked ? self.now.after(.seconds(1)) : .min
        for id in firsts where self.table.isCurrent(id) {
            self.parkFollowers(of: id, in: .any, keeping: kept, notBefore: due)
        }
    }

    private func hasOthersBehind(_ id: EntryID) -> Bool {
        guard self.table[id].next != nil, self.canPark(in: self.table[id].assignment) else { return false }
        return switch self.table[id].state {
        case .ready, .calling, .settling, .resending, .waiting: true
        case .queued, .blocked, .backingOff, .held, .condemned, .written: false
        }
    }

    private static var followersKept: Int { 16 }

    /// So many queues together may keep a quarter of what may come back.
    private func followersKept(ofEach queues: Int) -> Int {
        let records = min(self.unparkedLimit, self.unparkedBytesLimit / self.unparking.largest)
        return min(Self.followersKept, records / 4 / queues)
    }

    /// Those that have to leave: all but the newest that never failed, of which a share stays, and those that keep the
    /// window of their partition from going on.
    private func surplus(
        of ids: [EntryID],
        _ state: Entry.State,
        in room: WaitingRoom,
        _ share: Share,
        _ onlyUnparked: Bool
    ) -> Set<EntryID> {
        var (records, bytes) = (0, 0)
        var surplus: Set<EntryID> = []
        let current = ids.filter {
            self.table.state(of: $0) == state && self.canPark(in: self.table[$0].assignment)
        }
        for id in current.sorted(by: self.isRatherKept) {
            let (size, parking) = self.table.withEntry(id) { ($0.bytes, $0.parking) }
            let isFirst = records == 0
            let isWithinShare = isFirst || records < share.records && bytes + size <= share.bytes
            let isCounted = !onlyUnparked || parking == .over
            if isCounted, !isWithinShare || self.isStale(id) {
                surplus.insert(id)
            } else {
                // Those behind it would be more than the share.
                self.parkFollowers(of: id, in: room, keeping: 0)
                records += isCounted ? 1 : 0
                bytes += isCounted ? size : 0
            }
        }
        return surplus
    }

    /// Those that never failed, and of these the newest.
    private func isRatherKept(_ left: EntryID, _ right: EntryID) -> Bool {
        let (leftFailed, rightFailed) = (self.table[left].hasFailed, self.table[right].hasFailed)
        return leftFailed == rightFailed ? self.isBefore(right, left) : !leftFailed
    }

    private func isBefore(_ left: EntryID, _ right: EntryID) -> Bool {
        let (left, right) = (self.table[left], self.table[right])
        return (left.offset, left.assignment) < (right.offset, right.assignment)
    }

    /// Whether it lies half a window behind what was read last.
    private func isStale(_ id: EntryID) -> Bool {
        let (index, offset, parking) = self.table.withEntry(id) { ($0.assignment, $0.offset, $0.parking) }
        guard parking == .none, let next = self.assignments[index].progress?.next else { return false }
        return next - offset > PartitionProgress.window / 2
    }

    /// Whether records of this assignment can be put aside. Those of a retry topic have been already.
    private func canPark(in index: Int) -> Bool {
        guard let lot = self.lot else { return false }
        let partition = self.assignments[index].partition
        return partition.topic == self.settings.inputTopic && partition.partition < lot.partitions
    }

    private func park(_ surplus: Set<EntryID>, of ids: [EntryID], in room: WaitingRoom) {
        for id in ids.filter({ surplus.contains($0) }).sorted(by: { self.isBefore($0, $1) }) {
            self.parkWithFollowers(id, in: room)
        }
    }
}
