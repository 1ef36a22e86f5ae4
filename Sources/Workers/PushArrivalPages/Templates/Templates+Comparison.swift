extension Templates {
    static let comparison = """
        {{<layout}}{{$main}}
        <p class="back"><a href="/">All messages</a></p>
        <h1>{{heading}}</h1>
        <form class="filter" method="get" action="/compare" aria-label="Choose what is compared">
        <p><label for="f-campaign">Campaign (its whole id)</label>
        <input id="f-campaign" name="campaign" type="text" value="{{campaign}}" list="c-campaign" autocomplete="off" \
        spellcheck="false">
        <datalist id="c-campaign">{{#campaignChoices}}<option value="{{.}}"></option>{{/campaignChoices}}</datalist></p>
        <p><label for="f-app">App (its whole id, or empty for all)</label>
        <input id="f-app" name="app" type="text" value="{{app}}" autocomplete="off" spellcheck="false"></p>
        <p><label for="f-measure">Measure</label>
        <select id="f-measure" name="measure">{{#measures}}<option value="{{value}}"{{#isChosen}} selected{{/isChosen}}>\
        {{label}}</option>{{/measures}}</select></p>
        <p><label for="f-margin">Smallest difference that matters (points)</label>
        <input id="f-margin" name="margin" type="number" min="0.01" max="50" step="0.01" value="{{margin}}"></p>
        {{#hasChoices}}<fieldset><legend>Variants, and the base of the comparison</legend>
        {{#choices}}<span class="choice"><label><input type="checkbox" name="variant" value="{{id}}"\
        {{#isChosen}} checked{{/isChosen}}> {{name}}</label>
        <label><input type="radio" name="base" value="{{id}}"{{#isBase}} checked{{/isBase}}> base</label></span>
        {{/choices}}</fieldset>{{/hasChoices}}
        <p class="actions"><button type="submit">Compare</button></p>
        </form>
        {{#faults}}<p class="alert" role="alert">{{.}}</p>
        {{/faults}}
        {{> comparisonLive}}
        {{/main}}{{/layout}}
        """

    static let comparisonLive = """
        <div id="live" data-seconds="{{frame.reload}}">
        {{> standing}}
        {{#nothing}}<p class="lead">{{.}}</p>{{/nothing}}
        {{#hasCampaigns}}<ul class="campaigns">
        {{#campaigns}}<li><a href="{{address}}">{{name}}</a> <span class="hush">{{note}}</span></li>
        {{/campaigns}}</ul>{{/hasCampaigns}}
        {{#hasRows}}
        <div class="scroll" id="scroll-variants" tabindex="0" role="region" aria-labelledby="variants-caption">
        <table class="variants">
        <caption id="variants-caption">{{caption}}</caption>
        <thead><tr><th scope="col">Variant</th><th scope="col" class="n">{{shareHeading}}</th>
        <th scope="col">Compared with the base</th></tr></thead>
        <tbody>
        {{#rows}}<tr>
        <th scope="row">{{name}} <span class="hush">{{state}}</span> {{#sent}}<span class="hush c-sent">{{.}}</span>{{/sent}}</th>
        <td class="n"><strong>{{share}}</strong> <span class="hush">{{counts}}</span></td>
        <td>{{^pair}}<span class="tag">base</span>{{/pair}}{{#pair}}
        {{#difference}}<strong>{{.}} points</strong> <span class="hush">{{interval}}</span>{{/difference}}
        {{#picture}}<svg class="span" viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true">\
        <rect class="rail" width="1000" height="20"/><rect class="zone" x="{{zoneStart}}" width="{{zoneWidth}}" height="20"/>\
        <rect class="fill" x="{{start}}" y="6" width="{{width}}" height="8"/>\
        <path class="zero" d="M500 0V20"/><path class="mid" d="M{{difference}} 2V18"/></svg>{{/picture}}
        <span class="verdict"><span class="tag {{verdictClass}}">{{verdict}}</span> {{sentence}}</span>
        {{/pair}}</td>
        </tr>
        {{/rows}}
        </tbody></table></div>
        {{#leftOut}}<p class="hush">{{.}}</p>{{/leftOut}}
        <p class="hush">The interval is right with a probability of 95 %, all of its changes and all variants together: it \
        may be looked at as often as you like, and a verdict may be acted on at once. The darker zone holds the differences \
        that do not matter. All this is true only if chance has decided which device gets which variant, and if measure and \
        smallest difference were chosen before the first look.</p>
        {{/hasRows}}
        <p class="hush foot">{{frame.freshness}}</p>
        </div>
        """
}
