package import ServiceKit

extension Preflight {
    /// Makes the conditions of a worker with these settings.
    package init(_ settings: EngineSettings) {
        self.init(
            inputTopic: settings.inputTopic,
            resultTopic: settings.resultTopic,
            deadLetterTopic: settings.deadLetterTopic,
            parkedTopic: settings.parkedTopic,
            retryTiers: settings.retryTiers,
            deadline: settings.deadline,
            messageBytesLimit: settings.messageBytesLimit
        )
        self.routedLetterTopics = settings.deadLetterRoutes.topics(besides: settings.deadLetterTopic)
        self.channelTopics = settings.channelTopics
        self.neighbours = settings.neighbours
    }
}
