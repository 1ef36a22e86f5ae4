import ArgumentParser
import ReceiptWorker

/// The executable `receipt-worker`.
@main
enum Program {
    static func main() async { await ReceiptWorkerCommand.main() }
}
