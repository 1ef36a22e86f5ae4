extension Browser {
    /// Texts whose contrast with what is behind them is below 4.5 (WCAG 2.2, 1.4.3), in light and in dark; of
    /// SVG texts the colour of their fill counts.
    package func contrastFaults() async throws -> [String] {
        var faults: [String] = []
        for scheme in Scheme.allCases {
            try await self.prefer(scheme)
            let found = try await self.evaluate(Self.contrastScript) as? [String] ?? ["no answer"]
            faults += found.map { "\(scheme): \($0)" }
        }
        try await self.prefer(.light)
        for fault in faults { print("contrast \(fault)") }
        return faults
    }

    private static let contrastScript = """
        const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
        const light = ([r, g, b]) => {
          const [x, y, z] = [r, g, b].map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
          return 0.2126 * x + 0.7152 * y + 0.0722 * z;
        };
        const behind = (one) => {
          for (let at = one; at; at = at.parentElement) {
            const color = parse(getComputedStyle(at).backgroundColor);
            if (color.length === 3 || color[3] === 1) return color;
          }
          return [255, 255, 255];
        };
        // Colours that change little by little are at their end.
        document.getAnimations().forEach((one) => one.finish());
        const faults = [];
        const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (walk.nextNode()) {
          const text = walk.currentNode.textContent.trim(), one = walk.currentNode.parentElement;
          if (!text || !one.getClientRects().length || one.closest("script, noscript, .unseen, .skip")) continue;
          if (one.closest("details:not([open])") && !one.closest("summary")) continue;
          const style = getComputedStyle(one);
          const [a, b] = [light(parse(one.closest("svg") ? style.fill : style.color)), light(behind(one))];
          const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
          if (ratio < 4.5) faults.push(ratio.toFixed(2) + " " + text.slice(0, 60));
        }
        return faults;
        """
}
