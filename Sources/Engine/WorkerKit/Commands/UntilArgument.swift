import ArgumentParser
import ServiceKit
import WireFormats

/// The point on the command line up to which a run reads.
struct UntilArgument: ExpressibleByArgument {
    let bound: ReadBound

    init?(argument: String) {
        if argument == "end" {
            self.bound = .end
        } else if let offset = Int64(argument), offset >= 0 {
            self.bound = .offset(offset)
        } else if let time = RFC3339.milliseconds(argument) {
            self.bound = .time(time)
        } else {
            return nil
        }
    }
}
