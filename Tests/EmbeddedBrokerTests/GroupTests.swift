import EventThread
import Kafka
import Testing

@testable import EmbeddedBroker

@Suite(.serialized, .timeLimit(.minutes(10)))
struct GroupTests {
    private func member(_ broker: EmbeddedBroker, _ more: [String: String] = [:]) throws -> NativeMember {
        try NativeMember(broker, group: "workers", topic: "work", more)
    }

    @Test(arguments: ["range", "roundrobin"])
    func membersComeAndGoAndShareThePartitions(strategy: String) async throws {
        try await withBroker(topics: ["work": 6]) { broker in
            let more = ["partition.assignment.strategy": strategy]
            let first = try self.member(broker, more)
            #expect(poll(first) { first.partitions == [0, 1, 2, 3, 4, 5] })
            let (second, third) = (try self.member(broker, more), try self.member(broker, more))
            #expect(
                poll(first, second, third) { [first, second, third].allSatisfy { $0.partitions.count == 2 } }
            )
            #expect(Set(first.partitions + second.partitions + third.partitions) == Set(0..<6))
            try second.close()
            #expect(poll(first, third) { first.partitions.count == 3 && third.partitions.count == 3 })
            #expect(Set(first.partitions + third.partitions) == Set(0..<6))
        }
    }

    /// The point of a session: who dies without a word is missed, neither too late nor too early.
    @Test func aMemberThatDiesIsMissedAfterItsSession() async throws {
        try await withBroker(topics: ["work": 4]) { broker in
            let more = ["session.timeout.ms": "2000"]
            let members = (
                try self.member(broker, more), try self.member(broker, more), try self.member(broker, more)
            )
            #expect(
                poll(members.0, members.1, members.2) {
                    [members.0, members.1, members.2].allSatisfy { !$0.partitions.isEmpty }
                }
            )
            members.1.vanish()
            let begin = ContinuousClock.now
            #expect(
                poll(members.0, members.2) { members.0.partitions.count + members.2.partitions.count == 4 }
            )
            let passed = ContinuousClock.now - begin
            #expect(passed > .milliseconds(1_500))
            #expect(passed < .seconds(8))
        }
    }

    /// An eager member gives up what it has before it joins again, and commits before that: the broker is already
    /// waiting for it then, and has to take the commit.
    @Test func aCommitInsideARevocationIsTaken() async throws {
        try await withBroker(topics: ["work": 2]) { broker in
            let first = try CommittingMember(broker, group: "workers")
            try first.consumer.subscribe(to: ["work"])
            #expect(try first.serve { first.partitions.count == 2 })
            let second = try self.member(broker)
            #expect(
                try first.serve {
                    second.poll(); return second.partitions.count == 1
                }
            )
            #expect(first.revocationCommits == [nil])
            #expect(try committed("work", by: "workers", broker) == ["7 done"])
        }
    }

    @Test func metadataHasALimit() async throws {
        try await withBroker(topics: ["work": 1]) { broker in
            let member = try RawMember(broker, group: "workers")
            let longest = String(repeating: "x", count: 4_096)
            #expect(try member.commit("work", 1, metadata: longest) == ErrorCode.none)
            #expect(try member.commit("work", 2, metadata: longest + "x") == .offsetMetadataTooLarge)
            #expect(try committed("work", by: "workers", broker) == ["1 \(longest)"])
        }
    }

    @Test func aNewMemberIsToldItsIDBeforeItCounts() async throws {
        try await withBroker { broker in
            let member = try RawMember(broker, group: "workers")
            member.askToJoin()
            #expect(try member.joined() == .memberIDRequired)
            #expect(!member.id.isEmpty)
            #expect(try member.heartbeat() == .unknownMemberID)
            member.askToJoin()
            #expect(try member.joined() == ErrorCode.none)
            #expect(member.isLeader)
            #expect(member.generation == 1)
            #expect(member.others == [member.id])
        }
    }

    @Test func whoIsNotOfThisGenerationMayNotCommit() async throws {
        try await withBroker(topics: ["work": 1]) { broker in
            let member = try RawMember(broker, group: "workers")
            let stranger = try RawMember(broker, group: "workers")
            (stranger.generation, stranger.id) = (1, "nobody")
            #expect(try stranger.commit("work", 1) == .illegalGeneration, "there is no such group")
            #expect(try member.join() == ErrorCode.none)
            #expect(try member.commit("work", 1) == .rebalanceInProgress, "it has no assignment yet")
            #expect(try member.sync([member.id: [9]]).assignment == [9])
            #expect(try member.commit("work", 1) == ErrorCode.none)
            #expect(try stranger.commit("work", 2) == .unknownMemberID)
            (stranger.generation, stranger.id) = (-1, "")
            #expect(try stranger.commit("work", 2) == .unknownMemberID, "only members, while there are any")
            member.generation = 0
            #expect(try member.commit("work", 2) == .illegalGeneration)
            #expect(try committed("work", by: "workers", broker) == ["1 "])
        }
    }

    /// A group of two, stable.
    private func pair(_ broker: EmbeddedBroker, static isStatic: Bool = false) throws -> (
        RawMember, RawMember
    ) {
        let leader = try RawMember(broker, group: "workers", instance: isStatic ? "a" : nil)
        let follower = try RawMember(broker, group: "workers", instance: isStatic ? "b" : nil)
        #expect(try leader.join() == ErrorCode.none)
        if !isStatic {
            follower.askToJoin()
            #expect(try follower.joined() == .memberIDRequired)
        }
        follower.askToJoin()
        while try leader.heartbeat() != .rebalanceInProgress {}
        leader.askToJoin()
        #expect(try leader.joined() == ErrorCode.none)
        #expect(try follower.joined() == ErrorCode.none)
        follower.askToSync()
        #expect(try leader.sync([leader.id: [1], follower.id: [2]]).assignment == [1])
        #expect(try follower.synced().assignment == [2])
        return (leader, follower)
    }

    @Test func theRebalanceBeginsWithoutWhoDoesNotJoinInTime() async throws {
        try await withBroker { broker in
            let (leader, follower) = try self.pair(broker)
            leader.rebalanceTimeout = 500
            leader.askToJoin()
            // Its session is longer than the rebalance: it is well, and says so.
            while try follower.heartbeat() != .rebalanceInProgress {}
            #expect(try follower.sync().error == .rebalanceInProgress)
            follower.rebalanceTimeout = 500
            follower.askToJoin()
            #expect(try follower.joined() == ErrorCode.none)
            #expect(try leader.joined() == ErrorCode.none)
            #expect(leader.generation == 3)
            #expect(try leader.sync().error == ErrorCode.none)
            // Now for both the timeout is short, and the follower does not join.
            leader.askToJoin()
            #expect(try leader.joined() == ErrorCode.none)
            #expect(leader.others == [leader.id])
            #expect(try follower.heartbeat() == .unknownMemberID)
        }
    }

    @Test func whoJoinsAndDoesNotSyncIsRemoved() async throws {
        try await withBroker { broker in
            let member = try RawMember(broker, group: "workers")
            member.rebalanceTimeout = 300
            #expect(try member.join() == ErrorCode.none)
            let deadline = ContinuousClock.now + .seconds(10)
            while try member.heartbeat() == ErrorCode.none, ContinuousClock.now < deadline {}
            #expect(try member.heartbeat() == .unknownMemberID)
        }
    }

    @Test func aStaticMemberComesBackWithoutARebalance() async throws {
        try await withBroker(topics: ["work": 4]) { broker in
            let (leader, old) = try self.pair(broker, static: true)
            let new = try RawMember(broker, group: "workers", instance: "b")
            #expect(try new.join() == ErrorCode.none)
            #expect(new.generation == leader.generation)
            #expect(new.id != old.id)
            #expect(try new.sync().assignment == [2])
            #expect(try leader.heartbeat() == ErrorCode.none)
            #expect(try old.heartbeat() == .fencedInstanceID)
            #expect(try old.commit("work", 1) == .fencedInstanceID)
            #expect(try old.sync().error == .fencedInstanceID)
        }
    }

    /// A librdkafka client that is fenced ends for good.
    @Test func anInstanceThatIsStartedTwiceIsFenced() async throws {
        try await withBroker(topics: ["work": 1]) { broker in
            let more = ["group.instance.id": "one"]
            let first = try self.member(broker, more)
            #expect(poll(first) { first.partitions == [0] })
            let second = try self.member(broker, more)
            #expect(poll(first, second) { first.failures.contains("_FATAL") && second.partitions == [0] })
        }
    }

    @Test func membersThatSpeakNoCommonProtocolAreRefused() async throws {
        try await withBroker { broker in
            let member = try RawMember(broker, group: "workers")
            #expect(try member.join() == ErrorCode.none)
            let other = try RawMember(broker, group: "workers")
            other.askToJoin(["roundrobin"])
            #expect(try other.joined() == .inconsistentGroupProtocol)
            other.sessionTimeout = 1
            other.askToJoin()
            #expect(try other.joined() == .invalidSessionTimeout)
        }
    }

    /// A coordinator that moves costs no member its place, however short its session.
    @Test func aMoveOfTheCoordinatorIsSurvived() async throws {
        try await withBroker(topics: ["work": 1]) { broker in
            let member = try RawMember(broker, group: "workers")
            member.sessionTimeout = 500
            #expect(try member.join() == ErrorCode.none)
            #expect(try member.sync([member.id: [1]]).error == ErrorCode.none)
            try await broker.moveCoordinators(for: .seconds(1))
            #expect(try member.heartbeat() == .notCoordinator)
            #expect(try member.commit("work", 1) == .notCoordinator)
            let deadline = ContinuousClock.now + .seconds(10)
            while try member.heartbeat() == .notCoordinator, ContinuousClock.now < deadline {}
            #expect(try member.heartbeat() == ErrorCode.none)
            #expect(try member.commit("work", 1) == ErrorCode.none)
        }
    }
}

/// A member of our own client that commits when it is asked to give up its partitions.
private final class CommittingMember {
    let consumer: Consumer
    private(set) var partitions: [Int32] = []
    private(set) var revocationCommits: [KafkaError?] = []

    init(_ broker: EmbeddedBroker, group: String) throws {
        self.consumer = try Consumer([
            "bootstrap.servers": broker.address, "group.id": group, "heartbeat.interval.ms": "100",
        ])
    }

    func serve(until holds: () -> Bool) throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(30)
        var wait = Wait(on: [self.consumer.descriptor])
        while !holds() {
            guard ContinuousClock.now < deadline else { return false }
            wait(atMost: .milliseconds(20))
            var events: [ConsumerEvent] = []
            self.consumer.serve { events.append($0) }
            for event in events { try self.handle(event) }
        }
        return true
    }

    private func handle(_ event: ConsumerEvent) throws {
        switch event {
        case .assigned(let partitions):
            self.partitions = partitions.map(\.partition)
            let positions = partitions.map { CommittedPosition(partition: $0, offset: nil) }
            _ = try self.consumer.assign(positions, atMost: .seconds(10))
        case .revoked:
            let partition = Kafka.TopicPartition(topic: "work", partition: 0)
            let position = CommittedPosition(partition: partition, offset: 7, metadata: "done")
            try self.consumer.commit([position], id: 1)
        case .committed(_, let error):
            self.revocationCommits.append(error)
            try self.consumer.unassign()
        case .failed, .logged: break
        }
    }
}
