extension Browser {
    /// The links, buttons and fields of the page that a finger can miss: smaller than 24 by 24 CSS pixels, and so close to
    /// another that a circle of 24 pixels around them touches it (WCAG 2.2, 2.5.8). A link within a sentence does not
    /// count.
    package func targetFaults() async throws -> [String] {
        try await self.evaluate(Self.targetScript) as? [String] ?? ["no answer"]
    }

    private static let targetScript = """
        const size = 24;
        const isInSentence = (one) => getComputedStyle(one).display === "inline"
          && one.parentElement.textContent.trim() !== one.textContent.trim();
        const targets = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")]
          .filter((one) => one.getClientRects().length && !one.closest(".unseen, .skip"))
          .filter((one) => one.closest("summary") || !one.closest("details:not([open])"))
          .map((one) => {
            const box = one.getBoundingClientRect();
            return { one, box, x: box.x + box.width / 2, y: box.y + box.height / 2,
              isSmall: box.width < size || box.height < size };
          });
        const distance = (from, box) => Math.hypot(
          Math.max(box.left - from.x, 0, from.x - box.right), Math.max(box.top - from.y, 0, from.y - box.bottom));
        const touches = (one, other) => other !== one && (distance(one, other.box) < size / 2
          || other.isSmall && Math.hypot(one.x - other.x, one.y - other.y) < size);
        return targets.filter((it) => it.isSmall && !isInSentence(it.one))
          .filter((it) => targets.some((other) => touches(it, other)))
          .map((it) => `${it.one.tagName} ${Math.round(it.box.width)}x${Math.round(it.box.height)} `
            + (it.one.textContent.trim() || it.one.name || "").slice(0, 40));
        """
}
