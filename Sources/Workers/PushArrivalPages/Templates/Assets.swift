/// The files that the pages load: icon, script and style sheet.
enum Assets {
    static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f5fa8"/>\
        <path d="M6 9h20l-6 8v7l-8 -3v-4z" fill="#fff"/></svg>
        """

    /// The script that replaces the numbers in place, without a flicker of the whole page. The pages also
    /// work without it.
    static let script = """
        "use strict";
        (() => {
          const live = document.getElementById("live");
          if (!live) return;
          const lost = document.getElementById("lost");
          const pause = document.getElementById("pause");
          let isPaused = false;
          pause.hidden = false;
          pause.addEventListener("click", () => {
            isPaused = !isPaused;
            pause.setAttribute("aria-pressed", String(isPaused));
          });
          const isMarking = () => {
            const marked = getSelection();
            return marked !== null && !marked.isCollapsed && live.contains(marked.anchorNode);
          };
          const put = (next) => {
            // A user who has come to a link by keyboard, or has scrolled a table, stays there.
            const focus = live.contains(document.activeElement) ? document.activeElement : null;
            const scrolled = [...live.querySelectorAll(".scroll")].map((one) => [one.id, one.scrollLeft]);
            const open = [...live.querySelectorAll("details[open]")].map((one) => one.id);
            live.replaceChildren(...next.childNodes);
            for (const id of open) {
              const one = document.getElementById(id);
              if (one) one.open = true;
            }
            for (const [id, left] of scrolled) {
              const one = document.getElementById(id);
              if (one) one.scrollLeft = left;
            }
            if (!focus) return;
            const address = focus.getAttribute("href");
            const same = focus.id ? document.getElementById(focus.id)
              : [...live.querySelectorAll("a")].find((one) => one.getAttribute("href") === address);
            if (same) same.focus({ preventScroll: true });
          };
          const turn = async () => {
            if (!isPaused && !document.hidden && !isMarking()) {
              try {
                const answer = await fetch(location.href, {
                  headers: { "X-Fragment": "live" }, signal: AbortSignal.timeout(10000),
                });
                const page = new DOMParser().parseFromString(await answer.text(), "text/html");
                const next = answer.ok && page.getElementById("live");
                if (next && !isPaused) put(next);
                lost.hidden = Boolean(next);
              } catch {
                lost.hidden = false;
              }
            }
            setTimeout(turn, (Number(live.dataset.seconds) || 3) * 1000);
          };
          setTimeout(turn, (Number(live.dataset.seconds) || 3) * 1000);
        })();
        """

    static let style = """
        :root {
          color-scheme: light dark;
          --page: #f6f7f9; --card: #ffffff; --text: #1a2230; --hush: #556072; --line: #d8dde5; --accent: #1f5fa8;
          --focus: #b45309; --bad: #a61b1b; --bad-soft: #fdecec; --warn: #8a5300; --warn-soft: #fff4de;
          --good: #1c6b3a; --good-soft: #e6f5ec; --info-soft: #e8f0fa; --bar: #2f6db3; --rail: #e3e8ef; --lost: #d9c6c6;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #11151b; --card: #191f27; --text: #e4e9f0; --hush: #9aa7b8; --line: #313a46; --accent: #7fb2ec;
            --focus: #f5b453; --bad: #ff9a94; --bad-soft: #3a1d1f; --warn: #f3c06b; --warn-soft: #35290f;
            --good: #84d6a2; --good-soft: #16301f; --info-soft: #1b2a3c; --bar: #6fa3de; --rail: #29313c; --lost: #523638;
          }
        }
        * { box-sizing: border-box; }
        [hidden] { display: none !important; }
        html { -webkit-text-size-adjust: 100%; }
        body { margin: 0; background: var(--page); color: var(--text);
          font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
        a { color: var(--accent); }
        :focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 3px; }
        main:focus { outline: none; }
        .skip { position: absolute; left: -100vw; top: 0; background: var(--card); padding: .5rem 1rem; z-index: 2; }
        .skip:focus { left: .5rem; top: .5rem; }
        .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
        .top { display: flex; align-items: center; justify-content: space-between; padding: .6rem 1.25rem;
          background: var(--card); border-bottom: 1px solid var(--line); min-height: 3.4rem; }
        .brand { font-weight: 700; text-decoration: none; color: var(--text); white-space: nowrap; }
        .nav { display: flex; flex-wrap: wrap; gap: 0 1.2rem; margin: 0 auto 0 1.6rem; }
        .nav a { display: inline-block; min-height: 24px; }
        main { max-width: 84rem; margin: 0 auto; padding: 0 1.25rem 2rem; }
        h1 { font-size: 1.6rem; line-height: 1.25; margin: 1.2rem 0 .3rem; overflow-wrap: anywhere; }
        h2 { font-size: 1.1rem; margin: 1.6rem 0 .5rem; }
        p { margin: .4rem 0; }
        .back { margin: 1rem 0 -.8rem; }
        .lead { font-size: 1.1rem; max-width: 60rem; }
        .hush { color: var(--hush); font-size: .85rem; font-weight: 400; }
        .origin { font-size: .95rem; overflow-wrap: anywhere; }
        .foot { margin-top: 1.2rem; }
        .standing { display: flex; align-items: center; gap: .5rem; font-size: .9rem; color: var(--hush); margin: .6rem 0; }
        .dot { width: .65rem; height: .65rem; border-radius: 50%; background: var(--warn); flex: none; }
        .live .dot { background: var(--good); }
        .away { color: var(--bad); font-weight: 600; } .away .dot { background: var(--bad); }
        .alert { border-radius: 8px; padding: .6rem .9rem; background: var(--bad-soft); color: var(--bad); overflow-wrap: anywhere; }
        #lost { max-width: 81.5rem; margin: .8rem auto 0; }
        .totals { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem; margin: 1rem 0; }
        .totals div { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .6rem .9rem; }
        .totals dt { color: var(--hush); font-size: .85rem; }
        .totals dd { margin: 0; font-size: 1.25rem; font-weight: 600; font-variant-numeric: tabular-nums; }
        .totals dd.hush { font-size: .85rem; font-weight: 400; }
        .totals .big { font-size: 1.7rem; line-height: 1.25; color: var(--accent); white-space: nowrap; }
        .scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 8px; margin: .8rem 0; }
        table { border-collapse: collapse; width: 100%; }
        caption { text-align: left; color: var(--hush); font-size: .85rem; padding: .6rem .75rem 0; }
        th, td { text-align: left; vertical-align: top; padding: .5rem .75rem; border-bottom: 1px solid var(--line); }
        thead th { color: var(--hush); font-size: .85rem; font-weight: 600; vertical-align: bottom; }
        tbody th { font-weight: 600; overflow-wrap: anywhere; }
        tbody th .hush { display: block; }
        tbody:last-child tr:last-child > * { border-bottom: 0; }
        .n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        thead .n { white-space: normal; }
        .messages thead th { white-space: nowrap; }
        .messages tbody th { min-width: 14rem; }
        .messages tbody tr:hover { background: var(--info-soft); }
        .c-arrived { min-width: 9rem; white-space: nowrap; }
        .messages thead a { color: inherit; text-decoration: none; display: inline-block; min-height: 24px; }
        .messages thead a:hover { text-decoration: underline; }
        .messages .campaign th a::before { content: "▸ "; }
        .messages .campaign th a[aria-expanded=true]::before { content: "▾ "; }
        .messages .inside th { padding-left: 2rem; font-weight: 400; }
        .c-sent { white-space: nowrap; }
        .c-arrived .why { display: block; white-space: normal; }
        .c-opened .hush { display: block; }
        .apart { border-left: 4px solid var(--warn); padding: .1rem .7rem; margin: .5rem 0; }
        .views { display: flex; gap: 1.2rem; margin: .8rem 0 .2rem; }
        .views a, .apart a { display: inline-block; min-height: 24px; }
        .tag { display: inline-block; font-size: .78rem; font-weight: 600; line-height: 1.3; padding: .1rem .55rem;
          border-radius: 99px; background: var(--info-soft); color: var(--accent); white-space: nowrap; vertical-align: middle; }
        .tag.complete { background: var(--good-soft); color: var(--good); }
        .bar { display: block; width: 100%; height: .5rem; border-radius: 3px; }
        .fill { fill: var(--bar); } .rail { fill: var(--rail); } .lost { fill: var(--lost); }
        .columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr)); gap: 0 1.5rem; align-items: start; }
        .columns section > table, .columns figure + table { background: var(--card); border: 1px solid var(--line); }
        .funnel tr:not(.picture) > * { border-bottom: 0; padding-bottom: .1rem; }
        .funnel .picture td { padding-top: .2rem; padding-bottom: .7rem; }
        .funnel .picture .bar { height: 1.1rem; }
        .funnel td .hush { display: block; }
        .funnel .out .fill { fill: var(--hush); }
        .funnel .out .lost { fill: var(--rail); }
        .keys { margin: .5rem 0 0; }
        .key { display: inline-block; width: 1rem; height: .6rem; border-radius: 3px; margin-right: .25rem; background: var(--bar); }
        .key.gone { background: var(--lost); margin-left: .8rem; }
        figure { margin: 0 0 .8rem; background: var(--card); border: 1px solid var(--line); padding: .6rem .75rem; }
        .curve { display: block; width: 100%; height: auto; overflow: visible; }
        .curve text { font-size: 13px; fill: var(--hush); }
        .curve .mark { font-weight: 600; fill: var(--text); paint-order: stroke; stroke: var(--card); stroke-width: 4px; }
        .curve .grid { stroke: var(--line); stroke-width: 1; }
        .curve .line { fill: none; stroke: var(--bar); stroke-width: 2.5; stroke-linejoin: round; }
        .curve .area { fill: var(--bar); opacity: .14; }
        .curve .drop { stroke: var(--text); stroke-width: 1; stroke-dasharray: 3 4; }
        .curve circle { fill: var(--card); stroke: var(--bar); stroke-width: 2.5; }
        .filter { display: flex; flex-wrap: wrap; align-items: end; gap: .3rem 1rem; background: var(--card); border: 1px solid var(--line);
          border-radius: 8px; margin: .8rem 0; padding: .6rem .9rem; }
        .filter p { flex: 1 1 8rem; }
        .filter .actions { flex: 0 0 auto; display: flex; gap: .8rem; align-items: center; }
        label { display: block; font-size: .85rem; color: var(--hush); }
        input, select { width: 100%; font: inherit; color: inherit; background: var(--page); border: 1px solid var(--hush); border-radius: 5px;
          padding: .35rem .5rem; }
        button { font: inherit; font-weight: 600; border: 1px solid var(--accent); border-radius: 6px; cursor: pointer;
          background: transparent; color: var(--accent); padding: .35rem 1rem; }
        button[aria-pressed=true] { background: var(--warn-soft); border-color: var(--warn); color: var(--warn); }
        .facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr)); gap: .6rem 1.5rem; margin: 0;
          background: var(--card); border: 1px solid var(--line); padding: .7rem .9rem; }
        .facts dt { color: var(--hush); font-size: .85rem; } .facts dd { margin: 0; overflow-wrap: anywhere; }
        fieldset { flex: 1 1 100%; border: 1px solid var(--line); border-radius: 5px; margin: .4rem 0; padding: .2rem .7rem .5rem;
          max-height: 16rem; overflow-y: auto; min-width: 0; }
        legend { font-size: .85rem; color: var(--hush); }
        .choice { display: flex; flex-wrap: wrap; gap: 0 1.2rem; padding: .15rem 0; }
        .choice label { display: inline-flex; align-items: center; gap: .4rem; min-height: 24px; color: var(--text); overflow-wrap: anywhere; }
        .choice input { width: 1.1rem; height: 1.1rem; flex: none; margin: 0; accent-color: var(--accent); }
        .campaigns { padding-left: 1.2rem; } .campaigns li { padding: .2rem 0; overflow-wrap: anywhere; }
        .campaigns a, .compare { display: inline-block; min-height: 24px; }
        .compare { font-weight: 400; font-size: .85rem; }
        .variants { min-width: 40rem; } .variants td:last-child { min-width: 16rem; }
        .variants td .hush { display: inline-block; } .variants tbody th .c-sent { white-space: normal; }
        .span { display: block; width: 100%; height: 1.1rem; margin: .25rem 0; }
        .span .zone { fill: var(--hush); opacity: .3; } .span .zero { stroke: var(--hush); stroke-width: 4; }
        .span .mid { stroke: var(--text); stroke-width: 6; }
        .tag.worse { background: var(--bad-soft); color: var(--bad); }
        .tag.open { background: var(--warn-soft); color: var(--warn); }
        .segments .fallen > :is(th, .change) { color: var(--bad); }
        .segments tbody th { min-width: 8rem; }
        .times tr:not(.picture) > * { border-bottom: 0; padding-bottom: .1rem; padding-top: .3rem; }
        .times .picture td { padding-top: .1rem; padding-bottom: .3rem; } .times tbody th .hush { display: inline; }
        .then { fill: var(--hush); } .key.then { background: var(--hush); margin-left: .8rem; }
        summary { cursor: pointer; min-height: 24px; color: var(--accent); }
        details table { margin-top: .4rem; }
        .pager { display: flex; gap: 1rem; align-items: center; margin: .8rem 0; }
        @media (max-width: 40rem) {
          main { padding: 0 .8rem 2rem; } .top { padding: .6rem .8rem; }
          h1 { font-size: 1.35rem; }
          .totals { grid-template-columns: 1fr 1fr; }
          th, td { padding: .45rem .5rem; }
          .c-accepted, .c-median, .c-state, .c-sent, .c-updated { display: none; }
          .messages { table-layout: fixed; } .messages thead .c-arrived { width: 29%; } .messages thead .c-opened { width: 22%; }
          .messages .inside th { padding-left: 1rem; }
          .messages tbody th { min-width: 0; } .c-arrived { min-width: 0; } .c-arrived .hush { display: block; }
          .columns > * { min-width: 0; } .funnel { font-size: .9rem; } .funnel th, .funnel td { padding: .35rem .3rem; }
          .funnel tbody th { overflow-wrap: normal; } .funnel tbody th .hush { display: none; }
          .totals .big { font-size: 1.4rem; }
          .variants, .variants td:last-child { min-width: 0; } .variants { table-layout: fixed; }
          .variants thead th:first-child { width: 28%; } .variants thead th:last-child { width: 48%; }
          .variants .n, .variants td .hush { white-space: normal; } .variants td .hush { display: block; }
          .variants tbody th .c-sent { display: none; }
          .nav { margin-left: .8rem; gap: 0 .8rem; }
          .times { font-size: .9rem; } .times th, .times td { padding-left: .3rem; padding-right: .3rem; }
          .times tbody th .hush { display: block; }
          .curve text { font-size: 18px; } .curve .minor { display: none; }
        }
        @media print { .top, .filter, .pager { display: none; } }
        """
}
