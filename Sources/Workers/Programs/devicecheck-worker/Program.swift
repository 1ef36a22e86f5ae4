import ArgumentParser
import DeviceCheckWorker

/// The executable `devicecheck-worker`.
@main
enum Program {
    static func main() async { await DeviceCheckWorkerCommand.main() }
}
