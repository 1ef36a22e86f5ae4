import ArgumentParser
import PushArrivalWorker

/// The executable `push-arrival-worker`.
@main
enum Program {
    static func main() async { await PushArrivalWorkerCommand.main() }
}
