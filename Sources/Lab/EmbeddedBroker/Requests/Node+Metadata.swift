extension Node {
    private struct TopicReport {
        var name: String
        var error: ErrorCode?
        var partitionCount = 0
    }

    func metadata(_ call: Call) throws(Malformed) {
        let names = try call.body.nullableArray { (reader) throws(Malformed) in try reader.string() }
        let mayCreate = call.version < 4 ? true : try call.body.boolean()
        let reports = (names ?? self.topics.keys.sorted()).map { self.report(on: $0, mayCreate: mayCreate) }
        call.answer { writer in
            if call.version >= 3 { writer.noThrottle() }
            writer.array([Self.id]) { writer, id in
                writer.integer(id)
                writer.string(self.host)
                writer.integer(self.port)
                writer.string(nil)  // rack
            }
            if call.version >= 2 { writer.string(self.clusterID) }
            writer.integer(Self.id)  // controller
            writer.array(reports) { writer, report in
                writer.error(report.error)
                writer.string(report.name)
                writer.boolean(false)  // internal
                writer.array(0..<report.partitionCount) { writer, index in
                    writer.error(nil)
                    writer.integer(Int32(index))
                    writer.integer(Self.id)  // leader
                    writer.array([Self.id]) { $0.integer($1) }  // replicas
                    writer.array([Self.id]) { $0.integer($1) }  // in sync
                }
            }
        }
    }

    private func report(on name: String, mayCreate: Bool) -> TopicReport {
        if self.topics[name] == nil {
            guard mayCreate, let count = self.settings.automaticPartitions else {
                return TopicReport(name: name, error: .unknownTopicOrPartition)
            }
            if let error = self.createTopic(name, partitions: count, TopicConfiguration()) {
                return TopicReport(name: name, error: error)
            }
        }
        return TopicReport(name: name, partitionCount: self.topics[name]?.partitions.count ?? 0)
    }
}
