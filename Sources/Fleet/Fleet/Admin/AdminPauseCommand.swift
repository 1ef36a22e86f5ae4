import ArgumentParser
import ServiceKit
import Terminal

/// `fleet admin pause`: begins no more calls.
struct AdminPauseCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Begin no more calls: of the worker, of a lane, or to an endpoint.",
        discussion: """
            Calls in flight end as usual. A paused worker takes in no more records either, keeps its partitions, and is \
            not ready. Deadlines go on: a record whose worker.deadline passes meanwhile expires.
            """
    )

    @OptionGroup var admin: AdminOptions
    @OptionGroup var part: AdminPartOptions

    func carryOut(until wish: StopWish) throws {
        try self.admin.carryOut(.pause(self.part.part), until: wish)
    }
}
