extension Templates {
    static let segments = """
        {{<layout}}{{$main}}
        <p class="back"><a href="/">All messages</a></p>
        <h1>Where notifications arrive</h1>
        <form class="filter" method="get" action="/segments" aria-label="Choose an app and a day">
        {{> inputs}}
        <p class="actions"><button type="submit">Show</button></p>
        </form>
        {{#faults}}<p class="alert" role="alert">{{.}}</p>
        {{/faults}}
        {{> segmentsLive}}
        {{/main}}{{/layout}}
        """

    static let segmentsLive = """
        <div id="live" data-seconds="{{frame.reload}}">
        {{> standing}}
        {{#links}}{{> dayLinks}}{{/links}}
        {{#falls}}<p class="alert fall">{{.}}</p>
        {{/falls}}
        {{#moreFalls}}<p class="alert">{{.}}</p>
        {{/moreFalls}}
        {{^hasTables}}<p class="lead">No sender has named the segments of its devices for this day or the week before. A
        segment is counted where the event <code>sent</code> names it: appVersion, osVersion, deviceModel or country.</p>
        {{/hasTables}}
        {{#hasTables}}
        <p class="lead">Pushes that were sent on {{day}}, against the seven days before.</p>
        {{#tables}}<section aria-labelledby="h-{{name}}">
        <h2 id="h-{{name}}">{{heading}}</h2>
        <div class="scroll" id="scroll-{{name}}" tabindex="0" role="region" aria-labelledby="c-{{name}}">
        <table class="segments">
        <caption id="c-{{name}}" class="unseen">{{heading}}, against the week before</caption>
        <thead><tr><th scope="col">Segment</th><th scope="col" class="n">Within an hour</th>
        <th scope="col" class="n">Week before</th><th scope="col" class="n">Change</th><th scope="col" class="n">Eligible</th>
        <th scope="col" class="n">Arrived</th></tr></thead>
        <tbody>{{#rows}}<tr{{#hasFallen}} class="fallen"{{/hasFallen}}><th scope="row">{{name}} \
        <span class="hush">{{app}}{{#note}} · {{.}}{{/note}}</span></th><td class="n"><strong>{{rate}}</strong></td>\
        <td class="n">{{past}}</td><td class="n change">{{change}}</td><td class="n">{{eligible}}</td>\
        <td class="n">{{arrived}}</td></tr>
        {{/rows}}</tbody></table></div>
        {{#leftOut}}<p class="hush">{{.}}: choose an app, or read the JSON.</p>{{/leftOut}}
        </section>
        {{/tables}}
        <p class="hush">{{rules}}</p>
        {{/hasTables}}
        <p class="hush foot">{{frame.freshness}}</p>
        </div>
        """
}
