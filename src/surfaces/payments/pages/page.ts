/**
 * The HTML of the payment page. The policy allows our style and script by their hashes, and what the
 * provider's script needs. No page may frame it. Only the origin of the page is sent to others,
 * because its address is a right to pay and to see what is owed.
 */
import {
  digitsOf,
  formatMoney,
  hashSource,
  htmlPage,
  lookLogo,
  lookStyle,
  markup,
  pageHeaders,
  trusted,
} from '#dodeca/kernel'
import type { Look, Markup } from '#dodeca/kernel'
import type { ProviderBrowser } from '../provider/port.ts'
import { isOwned, type RequestRow } from '../requests/request-row.ts'
import { page_script } from './script.ts'
import type { Language, Words } from './words.ts'

const usual_style = `
:root { color-scheme: light dark; --ink: light-dark(#1c2026, #e6e9ee); --soft: light-dark(#4d5562, #a6afbc);
  --back: light-dark(#f1f3f5, #121417); --card: light-dark(#fff, #1b1e23);
  --accent: light-dark(#1a56b0, #8ab4ff); --bad: light-dark(#a31515, #ff9d94) }
* { box-sizing: border-box }
html { background: var(--page, var(--back)) }
body { margin: 0 auto; max-width: 30rem; padding: 1.5rem 1rem; color: var(--ink);
  font: 1.05rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere }
main { padding: 1.6rem; background: var(--card); border-radius: .8rem }
h1 { margin: 0 0 .5rem; font-size: 1.6rem }
h1 .to { display: block; font-size: 1.05rem; font-weight: 400 }
table { width: 100%; border-collapse: collapse; margin: 1rem 0 }
th, td { padding: .35rem 0; border-bottom: 1px solid light-dark(#d5d9df, #363b43); text-align: left; vertical-align: top }
th { font-weight: 400 }
td { text-align: right; white-space: nowrap; padding-left: 1rem }
tr:last-child > * { font-weight: 600; border: 0 }
label { display: block; font-weight: 600; margin: 1rem 0 .25rem }
input { width: 100%; font: inherit; padding: .55rem .7rem; border: 1px solid var(--soft); border-radius: .4rem }
button { width: 100%; margin-top: 1rem; font: inherit; font-weight: 600; padding: .7rem; border-radius: .5rem;
  border: 2px solid var(--brand, var(--accent)); background: var(--brand, var(--accent));
  color: var(--on-brand, light-dark(#fff, #10131a)); cursor: pointer }
button.plain { border-color: var(--accent); background: transparent; color: var(--accent) }
button:disabled { opacity: .6; cursor: default }
#element { margin-top: 1rem }
.logo img { display: block; max-width: 100%; max-height: 5rem }
.choice input { width: auto }
.soft { color: var(--soft); white-space: pre-line }
.error { color: var(--bad); font-weight: 600 }
[hidden] { display: none !important }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
`

/** A provider with which the request can be paid on the page. */
export type Way = { readonly provider: string; readonly browser: ProviderBrowser }

export type Shown = {
  readonly request: RequestRow
  /** Empty if nothing can be paid on the page now. */
  readonly ways: readonly Way[]
  /** Whether the payer may keep the card. */
  readonly keeps: boolean
  /** The signature of the address. */
  readonly query: string
  readonly merchant: string | null
  readonly look: Look | null
  /** Where the payer goes after the payment. */
  readonly return_url: string | null
  readonly language: Language
}

export function paymentPage(shown: Shown) {
  const { request, ways: usable, query, merchant, look } = shown
  const style = look ? usual_style + lookStyle(look) : usual_style
  const { language, words } = shown.language
  const { currency, amount_minor } = request
  const sum = amount_minor === null ? null : formatMoney(amount_minor, currency, language)
  const state = stateOf(request, usable)
  const ways = state === 'open' || state === 'processing' ? usable : []
  const form = ways.find(({ browser: { script_url } }) => script_url !== null)
  const redirects = ways.filter(({ browser: { script_url } }) => script_url === null)
  const browser = form?.browser ?? null
  const script = ways.length > 0 ? scriptOf(browser) : null
  const setup = {
    state,
    ...(ways.length > 0 && pathOf(request)),
    ...setupOf(request, browser),
    provider: form?.provider ?? null,
    query,
    words: words.said,
  }
  const body = markup`<main id="page" data-setup="${JSON.stringify(setup)}">
${look && lookLogo(look)}<h1>${sum ?? words.pay}${merchant !== null && markup` <span class="to">${words.to} ${merchant}</span>`}</h1>
${aboutOf(request, shown.language)}
${partsOf(shown, state, browser !== null, redirects)}
<p id="error" class="error" role="alert" hidden></p>
<noscript><p class="error">${words.no_script}</p></noscript>
</main>${script !== null && markup`<script>${trusted(script)}</script>`}`
  const head = markup`<meta name="referrer" content="strict-origin">
${browser?.script_url && markup`<script src="${browser.script_url}"></script>`}`
  const title = sum === null ? words.pay : `${words.pay}: ${sum}`
  return {
    body: htmlPage({ language, title, head, style, body }),
    headers: {
      ...pageHeaders(style, policyOf(browser, script, look)),
      'x-robots-tag': 'noindex',
    },
  }
}

type State = RequestRow['state'] | 'unavailable'
type Browser = ProviderBrowser | null

function stateOf({ state, late }: RequestRow, ways: readonly Way[]): State {
  if (state === 'open' && late) return 'expired'
  return ways.length === 0 && (state === 'open' || state === 'processing') ? 'unavailable' : state
}

function scriptOf(browser: ProviderBrowser | null): string {
  return `const open_wallet = ${browser?.page_script ?? null}\n${page_script}`
}

function pathOf({ id, currency }: RequestRow) {
  return { path: `/pay/${id}`, digits: digitsOf(currency) ?? 0 }
}

function setupOf({ amount_minor, currency }: RequestRow, browser: ProviderBrowser | null) {
  if (!browser) return {}
  const whole = 1000
  return {
    publishable_key: browser.publishable_key,
    methods: browser.methods.map(one => one.method),
    amount: browser.amountOf(amount_minor ?? whole, currency),
    currency,
    scale: browser.amountOf(whole, currency) / whole,
  }
}

function policyOf(browser: Browser, script: string | null, look: Look | null): string {
  const logo = look?.logo === undefined ? [] : ['data:']
  const img = [...logo, ...(browser?.policy.img ?? [])]
  const pictures = img.length > 0 ? `img-src ${img.join(' ')}; ` : ''
  if (script === null) return `${pictures}form-action 'none'; `
  const policy = browser?.policy ?? { script: [], frame: [], connect: [], img: [] }
  const sources = (own: string, more: readonly string[]) => [own, ...more].join(' ')
  return [
    `script-src ${sources(hashSource(script), policy.script)}; `,
    `frame-src ${policy.frame.length > 0 ? policy.frame.join(' ') : "'none'"}; `,
    `connect-src ${sources("'self'", policy.connect)}; `,
    pictures,
    "form-action 'none'; ",
  ].join('')
}

/** The order that is paid line by line, or else what the merchant says. */
function aboutOf(request: RequestRow, { language, words }: Language): Markup {
  const { lines, description, currency, amount_minor } = request
  if (lines === null) return markup`<p class="soft">${description}</p>`
  const row = (label: string, minor: number) =>
    markup`<tr><th scope="row">${label}</th><td>${formatMoney(minor, currency, language)}</td></tr>`
  return markup`<table>
${lines.map(one => row('text' in one.label ? one.label.text : words.sums[one.label.sum], one.amount_minor))}
${row(words.sums.total, amount_minor ?? 0)}
</table>`
}

function partsOf(shown: Shown, state: State, has_form: boolean, redirects: readonly Way[]): Markup {
  const { request, keeps, return_url } = shown
  const { words } = shown.language
  const leads = request.return_url === null ? words.to_order : words.back
  const back = return_url !== null && markup`<p><a href="${return_url}">${leads}</a></p>`
  const hidden = (part: string) => part !== part_of[state] && trusted(' hidden')
  return markup`<form id="form" data-part="form"${hidden('form')}>
${request.amount_minor === null && amountField(request.currency, words)}
${
  !isOwned(request) &&
  markup`<label for="email">${words.email}</label>
<input id="email" type="email" autocomplete="email" maxlength="254">`
}
${
  has_form &&
  markup`<div id="element"></div>
${keeps && markup`<label class="choice"><input id="save" type="checkbox"> ${words.keep}</label>`}
<button id="pay">${words.pay}</button>`
}
${redirects.map(way => redirectButton(way, words))}
</form>
<div data-part="wait"${hidden('wait')}><p role="status">${words.checking}</p></div>
<div data-part="choice" hidden><p role="status">${words.unconfirmed}</p>
<button id="go-on">${words.go_on}</button><button id="other" class="plain">${words.other}</button></div>
<div data-part="paid"${hidden('paid')}><p role="status">${words.paid}</p>${back}</div>
<div data-part="ended"${hidden('ended')}><p role="status">${state in words.ended && words.ended[state as keyof Words['ended']]}</p>${back}</div>`
}

function redirectButton({ provider, browser: { title, methods } }: Way, words: Words): Markup {
  return markup`<button type="button" class="plain" data-provider="${provider}" data-method="${methods[0]?.method ?? ''}">${words.pay_with} ${title ?? provider}</button>`
}

const part_of: Readonly<Record<State, string>> = {
  open: 'form',
  processing: 'wait',
  paid: 'paid',
  expired: 'ended',
  cancelled: 'ended',
  unavailable: 'ended',
}

function amountField(currency: string, words: Words): Markup {
  return markup`<label for="amount">${words.amount_in} ${currency}</label>
<input id="amount" inputmode="decimal" autocomplete="transaction-amount" required>`
}
