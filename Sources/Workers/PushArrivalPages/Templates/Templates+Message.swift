extension Templates {
    static let message = """
        {{<layout}}{{$main}}
        <p class="back"><a href="/">All messages</a></p>
        <h1>{{heading}}</h1>
        <p class="hush origin">{{origin}}</p>
        {{#comparison}}<p class="views"><a id="compare" href="{{.}}">Compare with other messages of the campaign</a></p>
        {{/comparison}}{{> messageLive}}
        {{/main}}{{/layout}}
        """

    static let messageLive = """
        <div id="live" data-seconds="{{frame.reload}}">
        {{> standing}}
        <p class="lead"><span class="tag {{stateClass}}">{{state}}</span>
        {{#sentences}}{{.}} {{/sentences}}</p>
        <dl class="totals">
        <div><dt>Arrived, of accepted</dt><dd class="big">{{arrivalRate}}</dd></div>
        {{#eligibleRate}}<div><dt>Arrived, of eligible</dt><dd class="big">{{.}}</dd></div>{{/eligibleRate}}
        <div><dt>Opened, of arrived</dt><dd class="big">{{openRate}}</dd></div>
        <div><dt>Opened, of accepted</dt><dd class="big">{{clickRate}}</dd></div>
        <div><dt>Half arrive within</dt><dd class="big">{{median}}</dd></div>
        <div><dt>Nine of ten within</dt><dd class="big">{{ninetieth}}</dd></div>
        </dl>
        <div class="columns">
        <section aria-labelledby="h-funnel">
        <h2 id="h-funnel">From the sender to the person</h2>
        <table class="funnel">
        <caption class="unseen">How many devices took each step</caption>
        <thead><tr><th scope="col">Step</th><th scope="col" class="n">Devices</th>
        <th scope="col" class="n">Of the step before</th><th scope="col" class="n">Of accepted</th></tr></thead>
        <tbody>
        {{#steps}}{{> funnelRow}}{{/steps}}
        </tbody>
        <tbody class="out">
        {{#beside}}{{> funnelRow}}{{/beside}}
        </tbody></table>
        <p class="hush keys" aria-hidden="true"><span class="key"></span>took the step <span class="key gone"></span>lost \
        since the step before</p>
        </section>
        <section aria-labelledby="h-curve">
        <h2 id="h-curve">How fast it arrives</h2>
        {{#curve}}{{> curve}}{{/curve}}
        {{^curve}}<p class="lead">{{noCurve}}</p>{{/curve}}
        </section>
        {{#since}}{{> since}}{{/since}}
        <div>
        {{#hasReasons}}<section aria-labelledby="h-reasons">
        <h2 id="h-reasons">Why the push service rejected some</h2>
        <table>
        <caption class="unseen">Rejected, by reason</caption>
        <thead><tr><th scope="col">Reason</th><th scope="col" class="n">Devices</th>
        <th scope="col" class="n">Of sent</th></tr></thead>
        <tbody>{{#reasons}}<tr><th scope="row">{{label}}</th><td class="n">{{count}}</td><td class="n">{{share}}</td></tr>
        {{/reasons}}</tbody></table>
        </section>{{/hasReasons}}
        <section aria-labelledby="h-facts">
        <h2 id="h-facts">When, and what</h2>
        <dl class="facts">{{#facts}}<div><dt>{{label}}</dt>
        <dd>{{#machine}}<time datetime="{{.}}">{{value}}</time>{{/machine}}{{^machine}}{{value}}{{/machine}}</dd></div>
        {{/facts}}</dl>
        </section>
        </div>
        <section aria-labelledby="h-asides">
        <h2 id="h-asides">Events that are counted apart</h2>
        <table>
        <caption class="unseen">What else was reported</caption>
        <thead><tr><th scope="col">What</th><th scope="col" class="n">Events</th>
        <th scope="col">In the numbers above</th></tr></thead>
        <tbody>{{#asides}}<tr><th scope="row">{{label}} <span class="hush">{{meaning}}</span></th>
        <td class="n">{{count}}</td><td>{{isCounted}}</td></tr>
        {{/asides}}</tbody></table>
        </section>
        </div>
        <p class="hush foot">{{frame.freshness}}</p>
        </div>
        """

    static let funnelRow = """
        <tr>
        <th scope="row">{{name}} <span class="hush">{{meaning}}</span></th>
        <td class="n"><strong>{{count}}</strong></td>
        <td class="n">{{ofBefore}}{{#beforeName}} <span class="hush">{{.}}</span>{{/beforeName}}</td>
        <td class="n">{{ofAccepted}}</td>
        </tr>
        <tr class="picture" aria-hidden="true"><td colspan="4"><svg class="bar" viewBox="0 0 1000 10" \
        preserveAspectRatio="none"><rect class="lost" width="{{ground}}" height="10"/><rect class="fill" \
        width="{{bar}}" height="10"/></svg></td></tr>
        """

    static let curve = """
        <figure>
        <svg class="curve" viewBox="0 0 640 280" role="img" aria-label="{{words}}">
        {{#curve.shares}}<line class="grid" x1="52" x2="620" y1="{{place}}" y2="{{place}}"/>
        <text x="46" y="{{place}}" dy="5" text-anchor="end">{{label}}</text>{{/curve.shares}}
        {{#curve.times}}<line class="grid" y1="16" y2="236" x1="{{place}}" x2="{{place}}"/>
        <text{{^isMain}} class="minor"{{/isMain}} x="{{place}}" y="258" text-anchor="{{anchor}}">{{label}}</text>{{/curve.times}}
        <path class="area" d="{{curve.area}}"/><path class="line" d="{{curve.path}}"/>
        {{#curve.marks}}<line class="drop" x1="{{x}}" x2="{{x}}" y1="{{y}}" y2="236"/>
        <circle cx="{{x}}" cy="{{y}}" r="5"/>
        <text class="mark" x="{{labelX}}" y="{{labelY}}" text-anchor="{{anchor}}">{{label}}</text>{{/curve.marks}}
        </svg>
        <figcaption class="hush">{{note}}</figcaption>
        </figure>
        <table>
        <caption class="unseen">Arrivals by the time since they were sent</caption>
        <thead><tr><th scope="col">Arrived</th><th scope="col" class="n">Devices</th>
        <th scope="col" class="n">Of these arrivals</th></tr></thead>
        <tbody>{{#rows}}<tr><th scope="row">{{label}}</th><td class="n">{{count}}</td><td class="n">{{share}}</td></tr>
        {{/rows}}</tbody></table>
        """
}
