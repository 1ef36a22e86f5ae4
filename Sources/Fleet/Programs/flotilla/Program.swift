import ActivationWorker
import ArgumentParser
import DeadLetterTool
import DeviceCheckWorker
import Fleet
import Gateway
import Glibc
import PushArrivalWorker
import ReceiptWorker
import Terminal

/// The executable `flotilla`: all production programs in one file, which is hardly larger than one of them.
///
/// The name by which it is called says which program it is; `Deploy/build` makes a link of each name. Under another name
/// its first argument says it.
@main
enum Program {
    private static let programs: [String: any AsyncParsableCommand.Type] = [
        "activation-worker": ActivationWorkerCommand.self,
        "dead-letters": DeadLettersCommand.self,
        "devicecheck-worker": DeviceCheckWorkerCommand.self,
        "fleet": FleetCommand.self,
        "gateway": GatewayCommand.self,
        "push-arrival-worker": PushArrivalWorkerCommand.self,
        "receipt-worker": ReceiptWorkerCommand.self,
    ]

    static func main() async {
        var words = CommandLine.arguments[...]
        for _ in 0..<2 {
            let name = words.popFirst()?.split(separator: "/").last.map(String.init) ?? ""
            if let program = Self.programs[name] { return await program.main(Array(words)) }
        }
        let names = Self.programs.keys.sorted().joined(separator: ", ")
        Console.complain("flotilla: the first argument is one of \(names)")
        exit(64)
    }
}
