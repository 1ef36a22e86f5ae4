-- An upload of an SDK for wrk: a body of 1 KiB, as SDKs of Android send it.
wrk.method = "POST"
wrk.path = "/v3/projects/0a1b4118dd954ec3/collect?stm=1763962605200"
wrk.headers["Content-Type"] = "application/protobuf"
wrk.headers["X-Compress-Codec"] = "2"
wrk.headers["X-Crypt-Codec"] = "1"
wrk.headers["User-Agent"] = "okhttp/4.9.3"
wrk.body = string.rep("0123456789abcdef", 64)

-- One line for Deploy/bench-gateway: answers of 200 a second, the 50th and 99th percentile in ms, other answers.
done = function(summary, latency)
    local failed = summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout
    print(string.format("RESULT %.0f %.2f %.2f %d",
        (summary.requests - summary.errors.status) / summary.duration * 1e6,
        latency:percentile(50) / 1000, latency:percentile(99) / 1000, failed))
end
