extension Templates {
    static let layout = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width,initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>{{frame.title}} · dead letters</title>
        <link rel="icon" href="/icon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="/style.css">
        <script src="/script.js" defer></script>
        {{#frame.reload}}<noscript><meta http-equiv="refresh" content="{{.}}"></noscript>{{/frame.reload}}
        </head>
        <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="top">
        <a class="brand" href="/">Dead letters</a>
        <nav aria-label="Pages"><ul>
        {{#frame.links}}<li><a href="{{address}}"{{#isHere}} aria-current="page"{{/isHere}}>{{label}}</a></li>
        {{/frame.links}}</ul></nav>
        <p class="who"><span class="hush">Signed as</span> {{frame.user}}</p>
        </header>
        <main id="main" tabindex="-1">
        {{#frame.alerts}}<p class="alert" role="alert">{{.}}</p>
        {{/frame.alerts}}
        {{#frame.running}}<p class="notice"><a href="/replays/{{runningBatch}}">{{runningWords}}</a></p>{{/frame.running}}
        {{$main}}{{/main}}
        </main>
        <footer>{{#frame.command}}<p>In a terminal: <code>{{.}}</code></p>
        {{/frame.command}}<p>{{frame.freshness}}</p></footer>
        </body>
        </html>
        """

    static let filter = """
        <details class="filter"{{#filter.isOpen}} open{{/filter.isOpen}}>
        <summary>Filter{{#filter.words}}: <span class="words">{{.}}</span>{{/filter.words}}</summary>
        <form method="get" action="{{filter.action}}">
        <div class="fields">
        {{#filter.inputs}}<p><label for="f-{{name}}">{{label}}</label>
        <input id="f-{{name}}" name="{{name}}" value="{{value}}" placeholder="{{hint}}" autocomplete="off" spellcheck="false"></p>
        {{/filter.inputs}}
        <p><label for="f-state">State</label>
        <select id="f-state" name="state"><option value="">any</option>
        {{#filter.states}}<option value="{{word}}"{{#isChosen}} selected{{/isChosen}}>{{phrase}}</option>{{/filter.states}}
        </select></p>
        </div>
        <p class="actions"><button type="submit">Show</button> <a href="{{filter.action}}">Clear</a></p>
        </form>
        </details>
        {{#filter.faults}}<p class="alert" role="alert">{{.}}</p>
        {{/filter.faults}}
        """

    static let message = """
        {{<layout}}{{$main}}
        <h1>{{heading}}</h1>
        {{#sentences}}<p>{{.}}</p>
        {{/sentences}}
        <p><a class="button" href="{{next}}">{{nextLabel}}</a></p>
        {{/main}}{{/layout}}
        """

    static let parked = """
        {{<layout}}{{$main}}
        <h1>Parked records</h1>
        <p class="lead">{{summary}}</p>
        {{#notes}}<p class="notice">{{.}}</p>
        {{/notes}}
        <div class="scroll" tabindex="0" role="region" aria-label="Parked records"><table>
        <thead><tr><th scope="col">Topic</th><th scope="col" class="n">Records</th><th scope="col">Wait for</th>
        <th scope="col" class="n">Partitions</th><th scope="col">Parked since</th><th scope="col">Oldest record</th></tr></thead>
        <tbody>
        {{#rows}}<tr><th scope="row">{{topic}}</th><td class="n">{{count}}</td><td>{{condition}}</td>
        <td class="n">{{partitions}}</td><td class="nowrap">{{since}}</td><td class="nowrap">{{oldest}}</td></tr>
        {{/rows}}
        {{^rows}}<tr><td colspan="6">No record is parked.</td></tr>{{/rows}}
        </tbody></table></div>
        <p>Parked records are no dead letters. Their worker takes them up again by itself, in the order of their keys.
        On the worker's machine <code>fleet admin release</code> makes it try at once, and <code>fleet status</code> shows
        which lanes are held and which circuit breakers are open. The input topic has to keep the records until then.</p>
        {{/main}}{{/layout}}
        """

    static let retention = """
        {{<layout}}{{$main}}
        <h1>What the broker deletes, and when</h1>
        <p class="lead">{{summary}}</p>
        <div class="scroll" tabindex="0" role="region" aria-label="Topics"><table>
        <thead><tr><th scope="col">Topic</th><th scope="col">Keeps</th><th scope="col" class="n">Open</th>
        <th scope="col" class="n">Gone{{period}}</th><th scope="col">Oldest open goes</th></tr></thead>
        <tbody>
        {{#topics}}<tr{{#isUrgent}} class="urgent"{{/isUrgent}}><th scope="row">{{topic}}</th><td>{{keeps}}</td>
        <td class="n">{{open}}</td><td class="n">{{soon}}</td><td>{{goes}}</td></tr>
        {{/topics}}
        {{^topics}}<tr><td colspan="5">There is no topic of dead letters yet.</td></tr>{{/topics}}
        </tbody></table></div>
        {{/main}}{{/layout}}
        """

    static let audit = """
        {{<layout}}{{$main}}
        <h1>Audit trail</h1>
        <p class="lead">Who replayed, edited, discarded, restored, stopped, exported or unmasked what, and why. The latest first.</p>
        <div class="scroll" tabindex="0" role="region" aria-label="Entries"><table>
        <thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">What</th><th scope="col">Why</th>
        <th scope="col">Chosen by</th><th scope="col">Counts</th></tr></thead>
        <tbody>
        {{#entries}}<tr><td class="nowrap"><time datetime="{{machine}}">{{time}}</time></td><td>{{by}}</td>
        <td>{{action}}{{#batchOf}} <a class="id" href="/replays/{{.}}">{{.}}</a>{{/batchOf}}</td><td>{{because}}</td>
        <td class="words">{{selection}}</td><td>{{counts}}</td></tr>
        {{/entries}}
        {{^entries}}<tr><td colspan="6">Nobody has done anything yet.</td></tr>{{/entries}}
        </tbody></table></div>
        {{> pager}}
        {{/main}}{{/layout}}
        """
}
