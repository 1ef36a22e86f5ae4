import ActivationWorker
import ArgumentParser

/// The executable `activation-worker`.
@main
enum Program {
    static func main() async { await ActivationWorkerCommand.main() }
}
