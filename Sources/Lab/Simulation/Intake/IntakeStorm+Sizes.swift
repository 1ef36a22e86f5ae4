import ActivationIntake
import Records
import ServiceKit

// Publishers whose records are as large as the broker takes, or have no value.
extension IntakeStorm {
    /// An activation that is as large as the broker takes comes after a click with the longest callback, so that what the
    /// intake passes on has less room than the record that it has read.
    func planSizes() {
        var number = 0
        self.flood(self.count(of: [20, 60])) { [unowned self] _ in
            number += 1
            if number.isMultiple(of: 5) { self.publishNothing() } else { self.publishLargeActivation(number) }
        }
    }

    private func publishNothing() {
        let value: [UInt8]? = self.chance(0.5) ? nil : []
        switch Int.random(in: 0..<3, using: &self.random) {
        case 0:
            self.judge.expect("upload.no_target", at: self.publish(to: self.topics.uploads, value))
        case 1: self.publish(click: value, code: "click.no_identity")
        default: self.publish(activation: value)
        }
    }

    private func publishLargeActivation(_ number: Int) {
        let now = self.timeline.clock.now.wall
        let phone = SimulatedPhone(self.stranger(number, of: 5), startedAt: now)
        // The query has it encoded, and every slash takes three bytes there.
        let callback = "http%3A%2F%2Ftracking.e.qq.com%2Fconv%3Fcb%3D" + String(repeating: "c", count: 4_055)
        self.publish(click: phone.click(secondsBefore: 5) + "&callback=" + callback)
        let size = AdversaryPlan.messageLimit - Int.random(in: 300...8_000, using: &self.random)
        let filler = String(repeating: "f", count: size)
        switch Int.random(in: 0..<3, using: &self.random) {
        case 0: self.publish(activation: phone.activation(note: filler))
        case 1: self.publish(activation: phone.activation(), headers: [RecordHeader("note", filler)])
        default: self.publish(activation: phone.activation(), key: Array(filler.utf8))
        }
    }
}

extension SimulatedPhone {
    /// The first start as a publisher's own record, whose time is that of the record.
    fileprivate func activation(note: String = "") -> [UInt8] {
        Array(
            #"""
            {"appId":"112233","advertiserId":"10000","appType":"IOS","conversionType":"MOBILEAPP_ACTIVITE",\#
            "deviceId":"\#(self.idfa)","note":"\#(note)"}
            """#.utf8
        )
    }
}
