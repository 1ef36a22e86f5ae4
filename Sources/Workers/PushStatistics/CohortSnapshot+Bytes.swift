import Foundation
import ServiceKit
import SwiftProtobuf
import WireFormats
import WireMessages

extension CohortSnapshot {
    /// Returns the snapshot as the protobuf message `flotilla.pusharrival.v1.CohortSnapshot`.
    package func encoded() -> [UInt8] {
        var message = Flotilla_Pusharrival_V1_CohortSnapshot()
        message.provider = self.key.provider
        message.appBundle = self.key.appBundle
        message.messageID = self.key.messageID
        message.day = self.key.day
        message.segment = self.key.segment
        message.campaignID = self.campaignID
        message.source = self.source
        message.term = self.term
        message.version = self.version
        message.isClosed = self.isClosed
        message.firstSeenMs = self.firstSeen
        message.lastSeenMs = self.lastSeen
        message.baseMs = self.base.subtractingClamped(StoredDevice.timeShift)
        message.write(self.tally)
        if self.key.segment.isEmpty { message.writeLags(of: self.tally) }
        message.write(self.devices.map { StoredDevice($0) })
        do {
            return try message.serializedBytes()
        } catch {
            preconditionFailure("a message without required fields can always be written")
        }
    }

    /// Reads a snapshot from its protobuf bytes; nil if the bytes are not a snapshot that a worker has
    /// written.
    package init?(_ bytes: [UInt8]) {
        guard let message = try? Flotilla_Pusharrival_V1_CohortSnapshot(serializedBytes: bytes),
            let devices = message.devices, let tally = message.tally
        else { return nil }
        self.init(
            key: CohortKey(
                provider: message.provider,
                appBundle: message.appBundle,
                messageID: message.messageID,
                day: message.day,
                segment: message.segment
            ),
            campaignID: message.campaignID,
            source: message.source,
            term: message.term,
            version: message.version,
            isClosed: message.isClosed,
            tally: tally,
            firstSeen: message.firstSeenMs,
            lastSeen: message.lastSeenMs,
            base: message.baseMs.addingClamped(StoredDevice.timeShift)
        )
        self.devices = devices.map(\.record)
    }
}

/// A reader of little-endian 64-bit words.
private struct Words {
    private var bytes: [UInt8]
    private var position = 0

    init(_ data: Data) { self.bytes = Array(data) }

    mutating func next() -> UInt64? {
        guard self.position + 8 <= self.bytes.count else { return nil }
        var word: UInt64 = 0
        for index in 0..<8 { word |= UInt64(self.bytes[self.position + index]) << UInt64(8 * index) }
        self.position += 8
        return word
    }
}

extension Flotilla_Pusharrival_V1_CohortSnapshot {
    fileprivate mutating func write(_ devices: [StoredDevice]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(devices.count * StoredDevice.pairByteCount)
        for device in devices { device.appendPair(to: &bytes) }
        self.pairs = Data(bytes)
        let flags = devices.map(\.moreFlags)
        if flags.contains(where: { $0 != 0 }) { self.moreFlags = Data(flags) }
    }

    /// The devices; nil if the bytes do not fit.
    fileprivate var devices: [StoredDevice]? {
        let count = self.pairs.count / StoredDevice.pairByteCount
        guard self.pairs.count % StoredDevice.pairByteCount == 0,
            self.moreFlags.isEmpty || self.moreFlags.count == count
        else { return nil }
        var devices: [StoredDevice] = []
        devices.reserveCapacity(count)
        var words = Words(self.pairs)
        var flags = self.moreFlags.makeIterator()
        while let high = words.next(), let low = words.next() {
            devices.append(StoredDevice(high: high, low: low, moreFlags: flags.next() ?? 0))
        }
        return devices
    }

    fileprivate mutating func write(_ tally: Tally) {
        self.accepted = tally.accepted
        self.rejected = tally.rejected
        self.eligible = tally.eligible
        self.arrived = tally.arrived
        self.shown = tally.shown
        self.opened = tally.opened
        self.dismissed = tally.dismissed
        self.attachmentsShown = tally.attachmentsShown
        self.converted = tally.converted
        self.conversionValueMicros = tally.conversionValues.micros
        self.duplicates = tally.duplicates
        self.lateDropped = tally.lateDropped
        self.ineligible = tally.ineligible
        self.unknownDevice = tally.unknownDevice
        self.skewAdjusted = tally.skewAdjusted
        self.lagUnknown = tally.lagUnknown
        self.early = tally.early
        let hours = tally.hours.all
        self.arrivalHour = hours.map(\.hour)
        self.arrivalHourCount = hours.map(\.count)
        if let time = tally.firstArrival { self.firstArrivalMs = time }
        if let time = tally.lastArrival { self.lastArrivalMs = time }
        if let time = tally.firstSent { self.firstSentMs = time }
        if let time = tally.lastSent { self.lastSentMs = time }
    }

    fileprivate mutating func writeLags(of tally: Tally) {
        self.lagEdgesMs = tally.histogram?.edges ?? []
        self.lagHist = tally.histogram?.counts ?? []
        let buckets = tally.sketch.buckets
        self.lagSketchIndex = buckets.map { Int32(clamping: $0.index) }
        self.lagSketchCount = buckets.map(\.count)
    }

    /// The histogram. A segment has none: workers that do not know segments read no snapshot from it, and do not take it
    /// for a message.
    private var histogram: LagHistogram? {
        self.segment.isEmpty
            ? LagHistogram(edges: self.lagEdgesMs, counts: self.lagHist)
            : LagHistogram(edges: LagHistogram.usualEdges)
    }

    fileprivate var tally: Tally? {
        guard let histogram = self.histogram,
            self.lagSketchIndex.count == self.lagSketchCount.count,
            self.arrivalHour.count == self.arrivalHourCount.count
        else { return nil }
        var tally = Tally(edges: [])
        tally.accepted = self.accepted
        for (reason, count) in self.rejected.sorted(by: { $0.key < $1.key }) {
            tally.reject(reason, count: count)
        }
        tally.eligible = self.eligible
        tally.arrived = self.arrived
        tally.shown = self.shown
        tally.opened = self.opened
        tally.dismissed = self.dismissed
        tally.attachmentsShown = self.attachmentsShown
        tally.early = self.early
        tally.converted = self.converted
        tally.conversionValues = ConversionValues(self.conversionValueMicros)
        tally.duplicates = self.duplicates
        tally.lateDropped = self.lateDropped
        tally.ineligible = self.ineligible
        tally.unknownDevice = self.unknownDevice
        tally.skewAdjusted = self.skewAdjusted
        tally.lagUnknown = self.lagUnknown
        tally.histogram = histogram
        tally.sketch = LagSketch(
            zip(self.lagSketchIndex, self.lagSketchCount).map { (index: Int($0), count: $1) }
        )
        tally.hours = ArrivalHours(
            zip(self.arrivalHour, self.arrivalHourCount).map { (hour: $0, count: $1) }
        )
        if self.hasFirstArrivalMs { tally.noteArrival(at: self.firstArrivalMs) }
        if self.hasLastArrivalMs { tally.noteArrival(at: self.lastArrivalMs) }
        if self.hasFirstSentMs { tally.noteSending(at: self.firstSentMs) }
        if self.hasLastSentMs { tally.noteSending(at: self.lastSentMs) }
        return tally
    }
}
