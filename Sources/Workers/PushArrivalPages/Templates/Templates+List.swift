extension Templates {
    static let list = """
        {{<layout}}{{$main}}
        <h1>Which notifications arrive</h1>
        <form class="filter" method="get" action="/" role="search" aria-label="Filter the messages">
        {{> inputs}}
        {{#choices}}<p><label for="f-{{name}}">{{label}}</label>
        <select id="f-{{name}}" name="{{name}}">{{#options}}<option value="{{value}}"{{#isChosen}} selected{{/isChosen}}>\
        {{label}}</option>{{/options}}</select></p>
        {{/choices}}
        {{#kept}}<input type="hidden" name="{{name}}" value="{{value}}">{{/kept}}
        <p class="actions"><button type="submit">Show</button>{{#isFiltered}} <a href="/">Show all</a>{{/isFiltered}}</p>
        </form>
        {{#faults}}<p class="alert" role="alert">{{.}}</p>
        {{/faults}}
        {{> listLive}}
        {{/main}}{{/layout}}
        """

    static let listLive = """
        <div id="live" data-seconds="{{frame.reload}}">
        {{> standing}}
        {{#hasRows}}
        {{> totals}}
        {{#apart}}<p class="apart">{{sentence}}{{#address}} <a href="{{.}}">Show them</a>{{/address}}</p>
        {{/apart}}
        <p class="views"><a id="other-view" href="{{otherView.address}}">{{otherView.label}}</a>
        <a id="csv" href="{{csvAddress}}" download>CSV</a> <a id="json" href="{{jsonAddress}}" download>JSON</a></p>
        <div class="scroll" id="scroll-list" tabindex="0" role="region" aria-labelledby="list-caption">
        <table class="messages">
        <caption id="list-caption">{{caption}}</caption>
        <thead><tr>
        {{#headings}}<th scope="col" class="{{style}}" aria-sort="{{sort}}"><a href="{{address}}">{{label}}</a>\
        <span aria-hidden="true">{{arrow}}</span></th>
        {{/headings}}
        </tr></thead>
        <tbody>
        {{#rows}}<tr class="{{style}}">
        <th scope="row">{{#address}}<a href="{{.}}"{{#isExpanded}} aria-expanded="{{.}}"{{/isExpanded}}>{{name}}</a>{{/address}}\
        {{^address}}{{name}}{{/address}}
        <span class="hush">{{origin}}</span>\
        {{#comparison}} <a class="compare" href="{{.}}">Compare variants</a>{{/comparison}}</th>
        <td class="c-state"><span class="tag {{stateClass}}">{{state}}</span></td>
        <td class="c-sent">{{#sent}}<time datetime="{{machine}}" title="{{title}}">{{text}}</time>{{/sent}}{{^sent}}–{{/sent}}</td>
        <td class="n c-accepted">{{accepted}}</td>
        <td class="c-arrived"><strong>{{arrivalRate}}</strong> <span class="hush">{{arrived}}</span>
        {{#noRate}}<span class="hush why">{{.}}</span>{{/noRate}}
        <svg class="bar" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true"><rect class="rail" \
        width="1000" height="10"/><rect class="fill" width="{{arrivedBar}}" height="10"/></svg></td>
        <td class="n c-opened"><strong>{{openRate}}</strong> <span class="hush">{{opened}}</span></td>
        <td class="n c-median">{{median}}</td>
        <td class="n c-updated"><time datetime="{{updated.machine}}" title="{{updated.title}}">{{updated.text}}</time></td>
        </tr>
        {{/rows}}
        </tbody></table></div>
        {{/hasRows}}
        {{^hasRows}}<p class="lead">{{nothing}}</p>{{/hasRows}}
        {{#pager}}<nav class="pager" aria-label="More messages">
        {{#previous}}<a href="{{.}}" rel="prev">Previous</a>{{/previous}}
        <span>{{words}}</span>
        {{#following}}<a href="{{.}}" rel="next">Next</a>{{/following}}
        </nav>{{/pager}}
        <p class="hush foot">{{frame.freshness}}</p>
        </div>
        """
}
