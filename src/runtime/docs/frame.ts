/**
 * The frame of a page of the documentation: search, navigation, the page, its headings. One style
 * sheet, light and dark, from a phone to a wide screen. Everything but the forms works without a script.
 */
import { htmlPage, markup, pageHeaders, trusted, type Markup } from '#dodeca/kernel'
import { hashSource } from '../../kernel/http/markup.ts'
import type { Heading } from './render-markdown.ts'

export const base = '/docs'

type Entry = { readonly title: string; readonly name: string }
export type Group = { readonly title: string; readonly entries: readonly Entry[] }

const style = `
:root { color-scheme: light dark; --text: light-dark(#1c2026, #e4e7ec); --soft: light-dark(#58616e, #a3acb9);
  --line: light-dark(#d9dde3, #333941); --back: light-dark(#fff, #131619); --side: light-dark(#f6f7f9, #191d21);
  --code: light-dark(#f3f5f7, #1d2227); --accent: light-dark(#1a56b0, #8ab4ff); }
* { box-sizing: border-box }
html { scroll-padding-top: 4.5rem }
body { margin: 0; background: var(--back); color: var(--text); font: 1rem/1.65 system-ui, sans-serif;
  overflow-wrap: break-word }
a { color: var(--accent); text-underline-offset: .15em }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.skip { position: absolute; left: -99rem }
.skip:focus { left: 1rem; top: .5rem; background: var(--back); padding: .3rem .6rem; z-index: 2 }
.top { position: sticky; top: 0; z-index: 1; background: var(--back); border-bottom: 1px solid var(--line);
  display: flex; flex-wrap: wrap; gap: .4rem 1.2rem; align-items: center; padding: .6rem 1.2rem }
.top .home { font-weight: 700; color: inherit; text-decoration: none }
.top form { flex: 1 1 10rem; max-width: 26rem; display: flex }
.top input { width: 100%; min-width: 0; font: inherit; padding: .25rem .7rem; color: inherit;
  background: var(--side); border: 1px solid light-dark(#858d98, #767f8b); border-radius: .4rem }
.frame { display: grid; grid-template-columns: 15rem minmax(0, 1fr); max-width: 92rem; margin: 0 auto }
.side { grid-row: 1; grid-column: 1; border-right: 1px solid var(--line); padding: 1rem 1.2rem 3rem; font-size: .92rem }
.side nav { position: sticky; top: 4.5rem; max-height: calc(100vh - 5.5rem); overflow-y: auto }
.side h2, .here h2 { font-size: .8rem; margin: 1.1rem 0 .2rem; color: var(--soft); font-weight: 600;
  letter-spacing: .03em; border: 0; padding: 0 }
.side ul, .here ul { list-style: none; margin: 0; padding: 0 }
.side a, .here a { color: inherit; text-decoration: none; display: block; padding: .12rem 0 }
.side a:hover, .here a:hover { text-decoration: underline }
.side a[aria-current] { color: var(--accent); font-weight: 600 }
.main { display: grid; grid-template-columns: minmax(0, 48rem); justify-content: start; gap: 3rem;
  padding: 1.6rem clamp(1.1rem, 4vw, 3.5rem) 5rem }
.here { display: none; font-size: .88rem }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 1rem }
h2 { font-size: 1.3rem; line-height: 1.3; margin: 2.4rem 0 .6rem; padding-top: .3rem }
h3 { font-size: 1.08rem; margin: 1.8rem 0 .4rem }
h2 > a, h3 > a, h4 > a { color: inherit; text-decoration: none }
h2 > a:hover, h3 > a:hover { text-decoration: underline }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .875em }
:not(pre) > code { background: var(--code); padding: .1em .3em; border-radius: .25rem }
pre { background: var(--code); border: 1px solid var(--line); border-radius: .5rem; padding: .8rem 1rem;
  overflow-x: auto; line-height: 1.5 }
pre code { font-size: .92em }
.tabs { display: flex; flex-wrap: wrap; gap: 0 .3rem; margin: 1rem 0 }
.tabs input { position: absolute; opacity: 0 }
.tabs label { padding: .15rem .8rem; border-radius: .4rem .4rem 0 0; color: var(--soft); cursor: pointer; font-size: .92rem }
.tabs input:checked + label { color: var(--accent); background: var(--code); font-weight: 600 }
.tabs input:focus-visible + label { outline: 2px solid var(--accent) }
.tabs pre { order: 1; width: 100%; margin: 0; display: none }
.tabs input:checked + label + pre { display: block }
pre .copy { float: right; margin-left: 1rem; padding: .05rem .7rem; font-size: .8rem }
.table { overflow-x: auto; margin: 1rem 0 }
table { border-collapse: collapse; font-size: .93rem; min-width: 100% }
th, td { border-bottom: 1px solid var(--line); padding: .4rem .8rem .4rem 0; text-align: left;
  vertical-align: top; min-width: 7rem }
img { max-width: 100%; height: auto }
td img { min-width: 9rem }
blockquote { margin: 1rem 0; padding: 0 1rem; border-left: 3px solid var(--line); color: var(--soft) }
li + li { margin-top: .2rem }
.soft { color: var(--soft); font-size: .9rem }
.hits { padding-left: 0; list-style: none }
.hits li { margin: 0 0 1.2rem }
.hits p { margin: 0 }
.address { font-size: 1.05rem }
.operation h2 { margin-top: 1.6rem }
.operations { list-style: none; padding: 0 }
dl.members { margin: 0 }
.members dt { border-top: 1px solid var(--line); padding-top: .45rem }
.members dd { margin: 0 0 .45rem; font-size: .93rem }
.members dd p { margin: .1rem 0 }
.members .members { padding-left: .9rem; border-left: 2px solid var(--line) }
summary { cursor: pointer; color: var(--accent); padding: .1rem 0 }
form label { display: block; margin: .5rem 0; font-size: .92rem }
form label > * { display: block; width: 100%; font: inherit; padding: .3rem .6rem; color: inherit;
  background: var(--side); border: 1px solid light-dark(#858d98, #767f8b); border-radius: .4rem }
form textarea { font-family: ui-monospace, monospace }
button { font: inherit; padding: .3rem 1.2rem; border: 0; border-radius: .4rem; cursor: pointer;
  background: var(--accent); color: var(--back) }
#reply pre { max-height: 30rem; overflow: auto }
mark { background: light-dark(#fff0b3, #5a4a00); color: inherit }
@media (min-width: 80rem) { .main { grid-template-columns: minmax(0, 48rem) 14rem }
  .here { display: block } .here nav { position: sticky; top: 5rem; max-height: calc(100vh - 6rem); overflow-y: auto } }
.main:has(.operation) { grid-template-columns: minmax(0, 1fr) }
@media (min-width: 80rem) { .operation { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 28rem); gap: 3rem } }
@media (min-width: 120rem) { html { font-size: 112.5% } }
@media (min-width: 52.01rem) { .to-pages { display: none } .main { grid-column: 2 } }
@media (max-width: 52rem) { .frame { display: block }
  .side { border: 0; border-top: 1px solid var(--line); background: var(--side); font-size: 1rem; columns: 2 9rem }
  .side a { padding: .3rem 0 }
  .side nav { position: static; max-height: none } }
@media (max-width: 30rem) { .top form { order: 1; flex-basis: 100%; max-width: none } }
@media print { .top, .side, .here { display: none } .frame, .main { display: block } }
`

/** The headers of a page. They allow pictures of this platform, the given script and what it needs. */
export function headersFor(script: string, needs: string) {
  return pageHeaders(
    style,
    `script-src ${hashSource(script)}; ${needs}img-src 'self'; form-action 'self'; `,
  )
}

export type FrameParts = {
  readonly title: string
  /** The name of the shown page, as in its address. */
  readonly name: string
  readonly groups: readonly Group[]
  readonly body: Markup
  readonly headings?: readonly Heading[]
  /** The text of the search. */
  readonly query?: string
  readonly script: string
}

export function frame({
  title,
  name,
  groups,
  body,
  headings = [],
  query,
  script,
}: FrameParts): string {
  const page = markup`<a class="skip" href="#content">Skip to the page</a>
<header class="top">
<a class="home" href="${base}/">Dodeca</a>
<form action="${base}/search" role="search"><input type="search" name="q" value="${query}" maxlength="200" aria-label="Search the documentation" placeholder="Search"></form>
<a class="to-pages" href="#pages">All pages</a>
<a href="${base}/api">API reference</a>
</header>
<div class="frame">
<div class="main">
<main id="content">${body}</main>
${headings.length > 2 && onThisPage(headings)}
</div>
<div class="side" id="pages">${navigation(groups, name)}</div>
</div>
<script type="module">${trusted(script)}</script>`
  const head = markup`<link rel="icon" href="${base}/images/icon.svg">`
  return htmlPage({ title: `${title} · Dodeca`, head, style, body: page })
}

/**
 * The navigation follows the page in the HTML, so that a phone shows the page first. A wider screen
 * shows the navigation on the left.
 */
function navigation(groups: readonly Group[], current: string): Markup {
  const lists = groups.map(({ title, entries }) => {
    const items = entries.map(({ title: says, name }) => {
      const here = name === current ? trusted(' aria-current="page"') : null
      return markup`<li><a href="${base}/${name}"${here}>${says}</a></li>`
    })
    return markup`<h2>${title}</h2><ul>${items}</ul>`
  })
  return markup`<nav aria-label="Pages">${lists}</nav>`
}

function onThisPage(headings: readonly Heading[]): Markup {
  const items = headings
    .filter(({ depth }) => depth === 2)
    .map(({ id, text }) => markup`<li><a href="#${id}">${text}</a></li>`)
  return markup`<aside class="here"><nav aria-label="On this page"><h2>On this page</h2><ul>${items}</ul></nav></aside>`
}
