import ArgumentParser
import Records

/// A header on the command line: its name, an equals sign, and its text.
struct HeaderArgument: ExpressibleByArgument {
    let header: RecordHeader

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="), equals > argument.startIndex else { return nil }
        self.header = RecordHeader(
            String(argument[..<equals]),
            String(argument[argument.index(after: equals)...])
        )
    }
}
