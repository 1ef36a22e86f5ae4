import Kafka
import ServiceKit
import WireFormats

// Relief of memory: records that wait for an endpoint, a lane or a budget take up room that others need.
// Before the limits on what is in hand stop the intake, this file chooses which of the waiting records are
// parked (`Engine+Parking`). Some records of each room stay in hand, to be its probes. Records that hold the
// position of their partition back leave earlier.
//
// While no endpoint works, the records that have failed are parked, and records without a failure stay,
// because any of them may show that an endpoint is well. Records without a failure are parked too as long as
// there are few tickets: the record that shows it may not have been read yet.
extension Engine {
    /// Parks waiting records if too much is in hand, or if a partition's position falls behind. It does so at most
    /// every 100 ms.
    func relieveIfCrowded() {
        guard self.isReliefWanted, self.now.monotonic >= self.nextRelief else { return }
        self.nextRelief = self.now.after(.milliseconds(100))
        if self.isCrowded {
            self.thinOut(self.share(of: self.settings.recordsLimit, self.settings.bytesLimit))
        } else if self.isPositionBehind {
            self.thinOut(.late)
        }
        // Records that came back leave sooner. Otherwise those that fail again and again would keep the others out for
        // as long as something else crowds the hands, such as copies in retry topics.
        if self.isUnparkingStuck {
            var share = self.share(of: self.unparked.recordsLimit, self.unparked.bytesLimit)
            share.isOfUnparked = true
            self.thinOut(share)
        }
    }

    /// Whether records should be parked: the limits on what is in hand are near, the position of a partition may
    /// have fallen behind, or the records that came back fill their share.
    var isReliefWanted: Bool {
        self.lot != nil && self.recall == nil
            && (self.isMemoryCrowded || self.isWindowUsed(Self.latePosition)
                || self.isUnparkingStuck)
    }

    /// Whether the records in hand, their bytes or the window of a partition have reached three quarters of a
    /// limit.
    private var isCrowded: Bool {
        self.isMemoryCrowded || self.isWindowUsed(PartitionProgress.window / 4 * 3)
    }

    /// Whether the records in hand or their bytes have reached three quarters of their limit.
    var isMemoryCrowded: Bool {
        self.table.count >= max(1, self.settings.recordsLimit / 4 * 3)
            || self.bytesInHand >= self.settings.bytesLimit / 4 * 3
    }

    /// Whether so many offsets of a partition lie between its position and the newest record in hand.
    private func isWindowUsed(_ count: Int) -> Bool {
        self.assignments.contains { ($0.progress?.inHandCount ?? 0) >= count }
    }

    /// The number of records finished beyond a position from which on it is behind: an eighth of the window.
    private static var latePosition: Int { PartitionProgress.window / 8 }

    /// Whether so many records of a partition are finished beyond its position. Only the metadata of the commit says
    /// so: a move of the group makes all of them new.
    private var isPositionBehind: Bool {
        self.assignments.contains { ($0.progress?.finishedCount ?? 0) >= Self.latePosition }
    }

    /// Returns each room's share of these limits.
    private func share(of records: Int, _ bytes: Int) -> RoomShare {
        let (endpoints, lanes) = (self.dispatch.gates.endpoints.count, self.dispatch.queues.held.count)
        let rooms = max(1, endpoints + lanes + self.condemned.waiting.count + 1)
        return RoomShare(records: max(1, min(64, records / 4 / rooms)), bytes: bytes / 4 / rooms)
    }

    /// Parks the waiting records of each room beyond the room's share, and the ends of long queues.
    private func thinOut(_ share: RoomShare) {
        self.thinOutEndpoints(share)
        self.thinOutFailed(share)
        self.thinOutLanes(share)
        self.thinOutBudgets(share)
        self.thinOutRetries(share)
        self.thinOutKeys(share.isOfUnparked)
    }

    /// Parks records that wait for an endpoint, beyond a share.
    private func thinOutEndpoints(_ share: RoomShare) {
        for index in self.dispatch.gates.endpoints.indices {
            guard !self.dispatch.queues.blocked[index].isEmpty else { continue }
            let isOfUse = self.hasUseForRoom(besides: index)
            let room = WaitingRoom.endpoint(self.dispatch.gates.endpoints[index].identity.name)
            let ids = self.dispatch.queues.blocked[index].elements.filter {
                isOfUse || self.table[$0].hasFailed
            }
            let surplus = self.surplus(of: ids, .blocked, in: room, keeping: share)
            guard !surplus.isEmpty else { continue }
            self.dispatch.queues.remove(from: .blocked) { surplus.contains($0) }
            self.park(surplus, of: ids, in: room)
        }
    }

    /// Parks ready records that have failed at an endpoint, beyond a share. Where the breaker of the endpoint is
    /// closed, these are the records that fail where others succeed: only few of them are called for at once.
    private func thinOutFailed(_ share: RoomShare) {
        for (index, endpoint) in self.dispatch.gates.endpoints.enumerated() {
            let isClosed = endpoint.breaker.state == .closed
            let room = WaitingRoom.endpoint(endpoint.identity.name)
            let ids = self.dispatch.queues.ready.elements.filter {
                self.table.kind(of: $0) == .ready && self.table[$0].lastEndpoint == index
                    && (isClosed ? self.table[$0].isOutlier : self.table[$0].hasFailed)
            }
            let surplus = self.surplus(of: ids, .ready, in: room, keeping: share)
            guard !surplus.isEmpty else { continue }
            self.dispatch.queues.remove(from: .ready) { surplus.contains($0) }
            // A closed breaker opens the room, and the records would be read again at once.
            self.park(surplus, of: ids, in: room, notBefore: isClosed ? self.now.after(.seconds(1)) : .min)
        }
    }

    /// Returns whether room that this endpoint's records give up is of use to the records of another
    /// endpoint.
    ///
    /// It is if another endpoint's breaker is closed. If all others are in doubt as well, a record that shows
    /// one of them to be well may not have been read yet. So room is made for unread records, but only up to
    /// twice `recordsLimit` tickets, so that a long outage of all endpoints does not fill the parking topic.
    private func hasUseForRoom(besides index: Int) -> Bool {
        let others = self.dispatch.gates.endpoints.indices.filter { $0 != index }
        return others.contains { self.dispatch.gates.endpoints[$0].breaker.state == .closed }
            || !others.isEmpty && self.parkedTickets < self.settings.recordsLimit * 2
    }

    /// Parks records that wait for a held lane, beyond a share. Records that wait for the whole upstream stay
    /// in hand.
    private func thinOutLanes(_ share: RoomShare) {
        for lane in self.dispatch.queues.held.keys.sorted() where lane != Lanes.upstream {
            let ids = self.dispatch.queues.held[lane]?.elements ?? []
            let surplus = self.surplus(of: ids, .held, in: .lane(lane), keeping: share)
            guard !surplus.isEmpty else { continue }
            self.dispatch.queues.remove(from: .held) { surplus.contains($0) }
            self.park(surplus, of: ids, in: .lane(lane))
        }
    }

    /// Parks records that wait for a dead-letter budget, beyond a share.
    private func thinOutBudgets(_ share: RoomShare) {
        for account in self.condemned.accounts {
            let room = WaitingRoom.budget(lane: account.lane, reason: account.reason)
            let ids = self.condemned.waiting[account]?.elements ?? []
            let surplus = self.surplus(of: ids, .condemned, in: room, keeping: share)
            guard !surplus.isEmpty else { continue }
            self.condemned.remove(from: account) { surplus.contains($0) }
            self.park(surplus, of: ids, in: room)
        }
    }

    /// Parks records whose next attempt is more than five seconds away, beyond a share. Records that came back
    /// need no new ticket, so one second is enough for them.
    private func thinOutRetries(_ share: RoomShare) {
        let soon = self.now.after(.seconds(share.isOfUnparked ? 1 : 5))
        let waiting = self.dispatch.queues.backingOff.elements.filter { $0.due > soon }
        for endpoint in self.dispatch.gates.endpoints.indices {
            let room = WaitingRoom.endpoint(self.dispatch.gates.endpoints[endpoint].identity.name)
            self.thinOut(room, keeping: share, of: waiting) {
                !self.isDelayed($0) && self.table[$0].lastEndpoint == endpoint
            }
        }
        // A delayed record is not planned yet, so its endpoint is not known.
        self.thinOut(.any, keeping: share, of: waiting, where: self.isDelayed)
    }

    /// Parks those of the waiting records that belong to a room, beyond a share.
    private func thinOut(
        _ room: WaitingRoom,
        keeping share: RoomShare,
        of waiting: [(element: EntryID, due: Int64)],
        where belongs: (EntryID) -> Bool
    ) {
        let ids = waiting.map(\.element).filter { self.table.kind(of: $0) == .backingOff && belongs($0) }
        let dues = Dictionary(waiting.map { ($0.element, $0.due) }) { max($0, $1) }
        let surplus = self.surplus(of: ids, .backingOff, in: room, keeping: share) {
            // Records behind a delayed one are of no use before it, and the room of delayed records is usually open.
            self.isDelayed($0) ? dues[$0] ?? .min : .min
        }
        guard !surplus.isEmpty else { return }
        self.dispatch.queues.remove(from: .backingOff) { surplus.contains($0) }
        let leaving = waiting.filter { surplus.contains($0.element) }
        for (id, due) in leaving.sorted(by: { self.isBefore($0.element, $1.element) }) {
            self.parkWithFollowers(id, in: room, notBefore: due)
        }
    }

    /// Parks the ends of long queues whose first record is on its way: it waits for no endpoint, no lane and
    /// no budget.
    private func thinOutKeys(_ onlyUnparked: Bool) {
        let firsts = self.order.crowdedFirsts.filter(self.mayShortenQueue)
        guard !firsts.isEmpty else { return }
        let kept = onlyUnparked ? self.followersKept(ofEach: firsts.count) : Self.followersKept
        // The followers wait in the room `any`, which is usually open. Without a pause they would be read
        // again at once.
        let due = onlyUnparked ? self.now.after(.seconds(1)) : .min
        for id in firsts where self.table.isCurrent(id) {
            self.parkFollowers(of: id, in: .any, keeping: kept, notBefore: due)
        }
    }

    /// Returns whether the records that are queued behind this one can be parked while it is on its way.
    private func mayShortenQueue(behind id: EntryID) -> Bool {
        guard self.canPark(in: self.table[id].assignment) else { return false }
        return switch self.table[id].state.kind {
        case .ready, .calling, .settling, .resending, .waiting: true
        case .arrived, .queued, .blocked, .backingOff, .held, .condemned, .written: false
        }
    }

    private static var followersKept: Int { 16 }

    /// Returns the number of records that each queue may keep behind its first one, so that the queues
    /// together keep at most a quarter of what may come back.
    private func followersKept(ofEach queues: Int) -> Int {
        min(Self.followersKept, self.unparked.followers(ofEach: queues))
    }

    /// Returns the records that have to be parked.
    ///
    /// A share of the records stays: those that never failed before those that have, and newer before older
    /// ones. At least one stays, unless it is so old that it holds its partition back (`RoomShare.stale`). The
    /// followers of a record that stays are parked, unless it is the old ones alone that have to leave.
    private func surplus(
        of ids: [EntryID],
        _ kind: RecordState.Kind,
        in room: WaitingRoom,
        keeping share: RoomShare,
        whoseFollowersWaitUntil due: (EntryID) -> Int64 = { _ in .min }
    ) -> Set<EntryID> {
        var (records, bytes) = (0, 0)
        var surplus: Set<EntryID> = []
        let current = ids.filter {
            self.table.kind(of: $0) == kind && self.canPark(in: self.table[$0].assignment)
        }
        for id in current.sorted(by: self.isRatherKept) {
            let (size, parking) = self.table.withEntry(id) { ($0.bytes, $0.parking) }
            let isFirst = records == 0
            let isWithinShare = isFirst || records < share.records && bytes + size <= share.bytes
            let isCounted = !share.isOfUnparked || parking == .over
            if isCounted, !isWithinShare || self.isStale(id, after: share.stale) {
                surplus.insert(id)
            } else {
                if share.leavesFollowers {
                    self.parkFollowers(of: id, in: room, keeping: 0, notBefore: due(id))
                }
                records += isCounted ? 1 : 0
                bytes += isCounted ? size : 0
            }
        }
        return surplus
    }

    /// Returns whether the left record stays rather than the right one: records that never failed stay before
    /// those that have, and newer before older ones.
    private func isRatherKept(_ left: EntryID, _ right: EntryID) -> Bool {
        let (leftFailed, rightFailed) = (self.table[left].hasFailed, self.table[right].hasFailed)
        return leftFailed == rightFailed ? self.isBefore(right, left) : !leftFailed
    }

    private func isBefore(_ left: EntryID, _ right: EntryID) -> Bool {
        let (left, right) = (self.table[left], self.table[right])
        return (left.offset, left.assignment) < (right.offset, right.assignment)
    }

    /// Returns whether a record lies more than so many offsets behind the record that was read last. A record
    /// with a ticket does not count, because its offset does not hold the position back.
    private func isStale(_ id: EntryID, after distance: Int64) -> Bool {
        let (index, offset, parking) = self.table.withEntry(id) { ($0.assignment, $0.offset, $0.parking) }
        guard parking == .none, let next = self.assignments[index].progress?.next else { return false }
        return next - offset > distance
    }

    /// Returns whether records of this assignment can be parked. Records of a retry topic cannot: they were
    /// already put aside in that topic.
    func canPark(in index: Int) -> Bool {
        guard let lot = self.lot else { return false }
        let partition = self.assignments[index].partition
        return partition.topic == self.settings.inputTopic && partition.partition < lot.partitions
    }

    private func park(
        _ surplus: Set<EntryID>,
        of ids: [EntryID],
        in room: WaitingRoom,
        notBefore due: Int64 = .min
    ) {
        for id in ids.filter({ surplus.contains($0) }).sorted(by: { self.isBefore($0, $1) }) {
            self.parkWithFollowers(id, in: room, notBefore: due)
        }
    }
}
