import ArgumentParser
import ServiceKit
import Terminal

/// `fleet admin resume`: takes a pause back.
struct AdminResumeCommand: WaitingCommand {
    static let configuration = CommandConfiguration(commandName: "resume", abstract: "Take a pause back.")

    @OptionGroup var admin: AdminOptions
    @OptionGroup var part: AdminPartOptions

    func carryOut(until wish: StopWish) throws {
        try self.admin.carryOut(.resume(self.part.part), until: wish)
    }
}
