extension Node {
    private struct TopicReport {
        var name: String
        var error: ErrorCode?
        var partitionCount = 0
    }

    func metadata(_ call: Call) throws(Malformed) {
        let names = try call.body.nullableArray { (reader) throws(Malformed) in try reader.string() }
        let mayCreate = call.version < 4 ? true : try call.body.boolean()
        // A list of all topics leaves out the topics that the client may not describe.
        let all = { self.topics.keys.sorted().filter { self.allows(call, .describe, on: .topic, named: $0) } }
        let reports = (names ?? all()).map { self.report(on: $0, to: call, mayCreate: mayCreate) }
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

    private func report(on name: String, to call: Call, mayCreate: Bool) -> TopicReport {
        if let error = self.refusal(of: call, .describe, topic: name) {
            return TopicReport(name: name, error: error)
        }
        if self.topics[name] == nil {
            guard mayCreate, let count = self.settings.automaticPartitions else {
                return TopicReport(name: name, error: .unknownTopicOrPartition)
            }
            guard self.mayCreate(name, call) else {
                return TopicReport(name: name, error: .topicAuthorizationFailed)
            }
            if let error = self.createTopic(name, partitions: count, TopicConfiguration()) {
                return TopicReport(name: name, error: error)
            }
        }
        return TopicReport(name: name, partitionCount: self.topics[name]?.partitions.count ?? 0)
    }
}
