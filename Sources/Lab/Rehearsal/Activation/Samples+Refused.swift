import Harness
import Records
import SwiftProtobuf
import WireFormats
import WireMessages

extension Samples {
    private static let day: Int64 = 24 * 3_600

    /// Records with a final rejection: by the worker's rules without a call, mostly because of values that a
    /// phone chose, or by GDT.
    static func refused(_ make: inout Activations) -> [Sample] {
        var old = make.message()
        old.convertedAt.seconds -= 8 * self.day
        var early = make.message()
        early.convertedAt.seconds += self.day
        var late = make.json(make.message())
        late.timestamp = make.now - 8 * self.day * 1_000
        var zero = make.message()
        zero.deviceID = "00000000-0000-0000-0000-000000000000"
        var nobody = make.message()
        nobody.deviceID = ""
        return [
            .refused("tracking denied: a zero IDFA", make.json(zero), reason: "device_id.zero"),
            .refused("a device without an id", make.json(nobody), reason: "device_id.empty"),
            .refused(
                "a malformed device id",
                make.spoilt("6D92078A-", by: "6D92078A"),
                reason: "device_id.malformed"
            ),
            .refused("a conversion of last week", make.json(old), reason: "converted_at.too_old"),
            .refused("a conversion of tomorrow", make.json(early), reason: "converted_at.in_future"),
            .expired("published 8 days ago", late),
            .refused(
                "GDT says -15, illegal muid",
                make.json(make.message(clickID: "sim-ret-15")),
                reason: "gdt.-15",
                calls: 1
            ),
            .refused(
                "GDT says -14, illegal time",
                make.json(make.message(clickID: "sim-ret-14")),
                reason: "gdt.-14",
                calls: 1
            ),
            .dead(
                "GDT says -1, illegal request",
                make.json(make.message(clickID: "sim-ret-1")),
                as: .rejected,
                because: "gdt.-1",
                calls: 1
            ),
        ]
    }
}
