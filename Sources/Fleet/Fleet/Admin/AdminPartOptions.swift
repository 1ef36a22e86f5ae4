import ArgumentParser
import ServiceKit

/// The options that name a part of a worker.
struct AdminPartOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "This lane only: an account or app of the upstream, as logs name it.",
            valueName: "name"
        )
    )
    var lane: String?

    @Option(help: ArgumentHelp("This endpoint only, as 'fleet admin status' names it.", valueName: "name"))
    var endpoint: String?

    func validate() throws {
        guard self.lane == nil || self.endpoint == nil else {
            throw ValidationError("Name a lane or an endpoint, not both.")
        }
    }

    var part: OperatorOrder.Part {
        self.lane.map { .lane($0) } ?? self.endpoint.map { .endpoint($0) } ?? .worker
    }
}
