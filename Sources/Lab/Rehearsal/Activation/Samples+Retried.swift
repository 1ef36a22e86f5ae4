import Harness
import WireFormats

extension Samples {
    /// Records whose calls fail and that succeed with another attempt, and one that never succeeds.
    ///
    /// If GDT had accepted a report before its answer was lost, the next attempt is counted a second time,
    /// because the conversion API has no key by which to recognise a repeat.
    static func retried(_ make: inout Activations) -> [Sample] {
        [
            .good("503 twice", make.json(make.message(clickID: "sim-503x2")), calls: 3...3),
            .good("429, Retry-After: 1", make.json(make.message(clickID: "sim-429after1x1")), calls: 2...2),
            .good(
                "-12, keys not found",
                make.json(make.message(clickID: "sim-ret-12x1")),
                calls: 2...2
            ),
            .good("a proxy's page instead", make.json(make.message(clickID: "sim-htmlx1")), calls: 2...2),
            .good("cut before GDT read it", make.json(make.message(clickID: "sim-cutx1")), calls: 2...2),
            .good(
                "cut after GDT accepted it",
                make.json(make.message(clickID: "sim-cutafterx1")),
                calls: 2...2,
                accepted: 2
            ),
            .good(
                "half an answer",
                make.json(make.message(clickID: "sim-truncatedx1")),
                calls: 2...2,
                accepted: 2
            ),
            .good("a slow answer", make.json(make.message(clickID: "sim-slow1200"))),
            .good("no answer in time", make.json(make.message(clickID: "sim-hangx1")), calls: 2...2),
            .dead(
                "an unknown code, every time",
                make.json(make.message(clickID: "sim-ret-99")),
                as: .exhausted,
                because: "gdt.-99",
                calls: WorkerFile.configurationAttempts
            ),
        ]
    }
}
