extension Templates {
    static let times = """
        {{<layout}}{{$main}}
        <p class="back"><a href="/">All messages</a></p>
        <h1>When notifications arrive</h1>
        <form class="filter" method="get" action="/time" aria-label="Choose messages and a day">
        {{> inputs}}
        <p class="actions"><button type="submit">Show</button></p>
        </form>
        {{#faults}}<p class="alert" role="alert">{{.}}</p>
        {{/faults}}
        {{> timesLive}}
        {{/main}}{{/layout}}
        """

    static let timesLive = """
        <div id="live" data-seconds="{{frame.reload}}">
        {{> standing}}
        {{#links}}{{> dayLinks}}{{/links}}
        {{^hasRows}}<p class="lead">No message is like that.</p>{{/hasRows}}
        {{#hasRows}}
        {{> totals}}
        {{#withoutHour}}<p class="apart">{{.}}</p>{{/withoutHour}}
        <p class="hush keys" aria-hidden="true"><span class="key"></span>this time <span class="key then"></span>a week \
        before</p>
        <div class="columns">
        <section aria-labelledby="h-week">
        <h2 id="h-week">Week against week</h2>
        <table class="times">
        <caption>{{daysCaption}}</caption>
        <thead><tr><th scope="col">Day</th><th scope="col" class="n">Arrived</th><th scope="col" class="n">Week before</th>
        <th scope="col" class="n">Change</th></tr></thead>
        <tbody>{{#days}}{{> timesRow}}{{/days}}</tbody></table>
        </section>
        <section aria-labelledby="h-hours">
        <h2 id="h-hours">The day by hour</h2>
        <table class="times">
        <caption>{{hoursCaption}}</caption>
        <thead><tr><th scope="col">Hour (UTC)</th><th scope="col" class="n">Arrived</th>
        <th scope="col" class="n">Week before</th><th scope="col" class="n">Change</th></tr></thead>
        <tbody>{{#hours}}{{> timesRow}}{{/hours}}</tbody></table>
        </section>
        </div>
        <p class="hush">From {{messages}} of this dashboard. An arrival counts in the hour in which it happened. Devices \
        report late, so the last hours still grow.</p>
        {{/hasRows}}
        <p class="hush foot">{{frame.freshness}}</p>
        </div>
        """

    static let timesRow = """
        <tr><th scope="row">{{label}}{{#note}} <span class="hush">{{.}}</span>{{/note}}</th>
        <td class="n"><strong>{{count}}</strong></td><td class="n">{{before}}</td><td class="n">{{change}}</td></tr>
        <tr class="picture" aria-hidden="true"><td colspan="4"><svg class="bar" viewBox="0 0 1000 10" \
        preserveAspectRatio="none"><rect class="fill" width="{{bar}}" height="6"/><rect class="then" y="7" \
        width="{{beforeBar}}" height="3"/></svg></td></tr>
        """

    static let since = """
        <section aria-labelledby="h-{{name}}">
        <h2 id="h-{{name}}">{{heading}}</h2>
        <figure>
        <svg class="curve bars" viewBox="0 0 640 200" role="img" aria-label="{{words}}">
        {{#chart.counts}}<line class="grid" x1="60" x2="630" y1="{{place}}" y2="{{place}}"/>
        <text x="54" y="{{place}}" dy="5" text-anchor="end">{{label}}</text>{{/chart.counts}}
        {{#chart.bars}}<rect class="fill" x="{{x}}" y="{{y}}" width="{{width}}" height="{{height}}"/>{{/chart.bars}}
        {{#chart.times}}<line class="grid" x1="{{place}}" x2="{{place}}" y1="160" y2="166"/>
        <text x="{{place}}" y="184" text-anchor="{{anchor}}">{{label}}</text>{{/chart.times}}
        </svg>
        <figcaption class="hush">{{note}}</figcaption>
        <details id="d-{{name}}"><summary id="s-{{name}}">Numbers</summary>
        <table><caption class="unseen">{{heading}}</caption>
        <thead><tr><th scope="col">Since sending</th><th scope="col" class="n">Arrived</th>
        <th scope="col" class="n">Of all</th></tr></thead>
        <tbody>{{#rows}}<tr><th scope="row">{{label}}</th><td class="n">{{count}}</td><td class="n">{{share}}</td></tr>
        {{/rows}}</tbody></table></details>
        </figure>
        </section>
        """
}
