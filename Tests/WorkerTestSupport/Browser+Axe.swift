import Foundation

extension Browser {
    /// The faults of the page that axe-core (https://github.com/dequelabs/axe-core) finds: against WCAG 2.2, levels A and
    /// AA, and against good practice. Each fault is named by its rule and by the first elements that break it. Colours that
    /// are changing have come to their end before.
    package func axeFaults() async throws -> [String] {
        guard let path = BrowserSetting.axe else { throw Failure(what: "nobody says where axe.min.js is") }
        let axe = try String(contentsOfFile: path, encoding: .utf8)
        return try await self.evaluate(axe + Self.axeScript) as? [String] ?? ["no answer"]
    }

    private static let axeScript = """
        ;return Promise.all(document.getAnimations().map((it) => it.finished))
          .then(() => axe.run(document,
            { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }))
          .then((found) => found.passes.length === 0 ? ["axe has looked at nothing"] : found.violations.map((it) =>
            `${it.id} at ${it.nodes.slice(0, 3).map((node) => node.target.join(" ")).join(", ")}: ${it.help}`));
        """
}
