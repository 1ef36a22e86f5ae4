extension Templates {
    static let layout = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width,initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>{{frame.title}} · push arrivals</title>
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="/assets/style.css">
        <script src="/assets/script.js" defer></script>
        {{#frame.slowReload}}<noscript><meta http-equiv="refresh" content="{{.}}"></noscript>{{/frame.slowReload}}
        </head>
        <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="top">
        <a class="brand" href="/">Push arrivals</a>
        <nav class="nav" aria-label="Pages"><a href="/compare">Compare</a> <a href="/time">Over time</a> \
        <a href="/segments">Segments</a></nav>
        <button type="button" id="pause" aria-pressed="false" hidden>Pause</button>
        </header>
        <p id="lost" class="alert" role="alert" hidden>This page does not get through to the dashboard. The numbers \
        below do not change until it does.</p>
        <main id="main" tabindex="-1">
        {{$main}}{{/main}}
        </main>
        </body>
        </html>
        """

    /// The state of the reading, shown on every page that reloads itself.
    static let standing = """
        <p class="standing {{frame.stateClass}}"><span class="dot"></span>{{frame.state}}</p>
        {{#frame.alerts}}<p class="alert">{{.}}</p>
        {{/frame.alerts}}
        """

    /// The fields of a form that chooses messages.
    static let inputs = """
        {{#inputs}}<p><label for="f-{{name}}">{{label}}</label>
        <input id="f-{{name}}" name="{{name}}" type="{{type}}" value="{{value}}" list="c-{{name}}" autocomplete="off" \
        spellcheck="false">
        <datalist id="c-{{name}}">{{#choices}}<option value="{{.}}"></option>{{/choices}}</datalist></p>
        {{/inputs}}
        """

    /// The links of a page about one day.
    static let dayLinks = """
        <p class="views"><a id="day-before" href="{{previous}}">Day before</a>
        <a id="day-after" href="{{next}}">Day after</a> <a id="json" href="{{json}}">JSON</a></p>
        """

    /// The sums above a list.
    static let totals = """
        <dl class="totals">
        {{#totals}}<div><dt>{{label}}</dt><dd{{#isLarge}} class="big"{{/isLarge}}>{{value}}</dd>\
        {{#note}}<dd class="hush">{{.}}</dd>{{/note}}</div>
        {{/totals}}
        </dl>
        """

    static let notice = """
        {{<layout}}{{$main}}
        <h1>{{heading}}</h1>
        {{#sentences}}<p>{{.}}</p>
        {{/sentences}}
        <p><a href="/">To all messages</a></p>
        {{/main}}{{/layout}}
        """
}
