import Glibc
import Logging
import Operations
import ServiceLifecycle

/// Takes an operator's orders on a Unix socket, for `fleet admin`.
///
/// `GET /v1/status` tells the choices that hold. `POST /v1/orders` takes one order as JSON, and answers with the choices
/// that hold then, or with `{"error":"…"}` and status 409. Only the user of this process and root can connect.
struct AdminService: Service {
    /// The largest order, in bytes.
    private static let largestOrder = 4_096

    let path: String
    let desk: OperatorDesk
    let level: LogLevelSwitch
    let health: Health
    let logger: Logger
    let identity: String

    func run() async throws {
        let server = LocalServer(path: self.path, setting: "admin.socket", largestBody: Self.largestOrder)
        try await server.run {
            self.logger.info("takes orders", metadata: ["socket": "\(self.path)"])
        } answer: { question in
            self.answer(question)
        }
    }

    private func answer(_ question: LocalServer.Question) -> LocalServer.Answer {
        switch (question.isPost, question.path) {
        case (false, "/v1/status"): return Self.answer(200, self.status)
        case (true, "/v1/orders"):
            guard let body = question.body else {
                return Self.refusal(413, "an order has at most \(Self.largestOrder) bytes")
            }
            do throws(OperatorOrder.Refusal) {
                try self.carryOut(try OperatorOrder(json: body))
            } catch {
                return Self.refusal(409, error.description)
            }
            return Self.answer(200, self.status)
        default: return Self.refusal(404, "there is GET /v1/status, and POST /v1/orders")
        }
    }

    private func carryOut(_ order: OperatorOrder) throws(OperatorOrder.Refusal) {
        try self.desk.carryOut(order)
        self.logger.notice(
            "an operator's order is carried out",
            metadata: ["order": "\((try? order.json()) ?? "")"]
        )
        // The way of SIGTERM is the one that is proven.
        if order == .drain { kill(getpid(), SIGTERM) }
    }

    private var status: OperatorStatus {
        var reason: String?
        if case .notReady(let words) = self.health.readiness { reason = words }
        var (endpoints, concurrency): ([String], Int?) = ([], nil)
        if case .calls(let names, let most) = self.desk.work { (endpoints, concurrency) = (names, most) }
        return OperatorStatus(
            program: self.identity,
            version: WorkerIdentity.version,
            ready: self.health.readiness == .ready,
            reason: reason,
            endpoints: endpoints,
            concurrency: concurrency,
            logLevel: self.level.level.rawValue,
            choices: self.desk.choices
        )
    }

    private static func answer(_ status: Int, _ content: some Encodable) -> LocalServer.Answer {
        guard let json = try? JSONLine.text(of: content) else {
            return LocalServer.Answer(status: 500, json: [])
        }
        return LocalServer.Answer(status: status, json: Array("\(json)\n".utf8))
    }

    private static func refusal(_ status: Int, _ reason: String) -> LocalServer.Answer {
        Self.answer(status, ["error": reason])
    }
}
