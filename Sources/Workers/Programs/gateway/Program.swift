import ArgumentParser
import Gateway

/// The executable `gateway`.
@main
enum Program {
    static func main() async { await GatewayCommand.main() }
}
