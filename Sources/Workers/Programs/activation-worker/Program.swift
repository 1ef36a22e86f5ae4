import ArgumentParser
import ActivationWorker

/// The executable `activation-worker`.
@main
enum Program {
    static func main() async { await ActivationWorkerCommand.main() }
}
