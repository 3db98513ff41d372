/**
 * The inbox as a page. A mail's own HTML is shown in a frame that may run no script and has no
 * origin. The links in a mail open in a new tab.
 */
import { markup, type Markup } from '#dodeca/kernel'
import type { InboxMessage } from './inbox-shapes.ts'
import { page, type Page } from './page.ts'

export type InboxView = {
  messages: readonly InboxMessage[]
  to: string | undefined
  q: string | undefined
  channel: string | undefined
  next_cursor: string | null
}

const style = `
details > summary { padding: .7rem 1rem; cursor: pointer; list-style: none; display: grid;
  grid-template-columns: minmax(0, 1fr) max-content; gap: 0 1rem }
details > summary::-webkit-details-marker { display: none }
summary strong { font-weight: 600; grid-column: 1; grid-row: 1 }
summary .soft { grid-column: 1 }
summary time.soft { grid-column: 2; grid-row: 1 }
summary span.provider { grid-column: 2; grid-row: 2; text-align: right }
details[open] > summary { border-bottom: 1px solid var(--line) }
.part { padding: .8rem 1rem }
.part + .part { border-top: 1px solid var(--line) }
.part pre { margin: 0; white-space: pre-wrap; font: .92rem/1.5 ui-monospace, monospace }
.part details > summary { padding: 0; display: list-item; list-style: inside disclosure-closed;
  color: var(--soft); font-size: .88rem; border: 0 }
.part details[open] > summary { list-style-type: disclosure-open }
.part details pre { margin-top: .6rem; font-size: .82rem }
iframe { display: block; width: 100%; height: 26rem; min-height: 8rem; resize: vertical;
  border: 0; border-bottom: 1px solid var(--line); background: #fff; color-scheme: light }
.empty { padding: 2rem 1rem; text-align: center }
.fresh { display: block; padding: .6rem 1rem; text-align: center }
.fresh[hidden] { display: none }
.channel { display: inline-block; min-width: 3.2rem; padding: 0 .4rem; border: 1px solid currentColor;
  border-radius: .3rem; font-size: .75rem; line-height: 1.5; text-align: center; vertical-align: .08em }
.channel.email { color: light-dark(#1f5fbf, #82b1ff) } .channel.sms { color: light-dark(#1b6e3c, #7fd6a0) }
.channel.push { color: light-dark(#8a4b00, #f0b878) }
.reports { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; margin-top: .6rem }
select { font: inherit; padding: .4rem .5rem; border: 1px solid var(--line); border-radius: .4rem;
  background: var(--card); color: inherit }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
@media (max-width: 32rem) { details > summary { grid-template-columns: minmax(0, 1fr) }
  summary time.soft, summary span.provider { grid-column: 1; grid-row: auto; text-align: left } iframe {
  height: 22rem } }
`

// The page waits for newer messages but does not reload by itself, so that the text does not move
// while you read it.
const script = `
const first = document.body.querySelector('[data-id]')?.dataset.id
const fresh = document.querySelector('.fresh')
const query = new URLSearchParams(location.search)
const filter = new URLSearchParams()
for (const name of ['to', 'q', 'channel']) if (query.get(name)) filter.set(name, query.get(name))
const look = async () => {
  if (document.hidden || query.has('cursor')) return
  const ask = new URLSearchParams(filter)
  ask.set('limit', '1')
  ask.set('wait_seconds', '20')
  if (first) ask.set('after', first)
  const answer = await fetch('/dev/inbox/messages?' + ask).catch(() => null)
  if (!answer?.ok) return
  const newest = (await answer.json()).data[0]?.id
  const there = newest !== undefined && newest !== first
  fresh.hidden = !there
  if (there) document.title = '(new) Inbox'
}
let looking = false
setInterval(async () => {
  if (looking) return
  looking = true
  await look()
  looking = false
}, 1000)
document.querySelector('#empty')?.addEventListener('click', async () => {
  const only = new URLSearchParams(filter)
  only.delete('q')
  await fetch('/dev/inbox/messages?' + only, { method: 'DELETE' })
  location.reload()
})
for (const button of document.querySelectorAll('[data-outcome]')) {
  button.addEventListener('click', async () => {
    const said = button.closest('.part').querySelector('output')
    const answer = await fetch('/dev/inbox/messages/' + button.closest('[data-id]').dataset.id + '/outcome', {
      method: 'POST', headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ type: button.dataset.outcome }),
    })
    const { status } = await answer.json()
    said.textContent = 'Reported ' + button.dataset.outcome + ': the platform answered ' + status
  })
}
`

const channel_names: Readonly<Record<string, string>> = { email: 'Mail', sms: 'SMS', push: 'Push' }
const outcomes: Readonly<Record<string, readonly string[]>> = {
  email: ['delivered', 'bounced', 'complained'],
  sms: ['delivered', 'failed'],
}

export function inboxPage(view: InboxView): Page {
  const { messages, to, q, channel, next_cursor } = view
  const filtered = Boolean(to || q || channel)
  const older = new URLSearchParams(
    Object.entries({ to, q, channel, cursor: next_cursor }).flatMap(([name, value]) =>
      value ? [[name, value] satisfies [string, string]] : [],
    ),
  )
  const body = markup`<header>
      <h1>Inbox</h1>
      <nav aria-label="Development"><a href="/dev">Everything</a><a href="/dev/inbox/messages">JSON</a></nav>
    </header>
    <main>
    <form method="get" action="/dev/inbox" role="search">
      <input name="q" type="search" value="${q ?? ''}" placeholder="Search" aria-label="Search in messages" />
      <input
        name="to"
        type="search"
        value="${to ?? ''}"
        placeholder="Recipient"
        aria-label="Recipient"
        autocapitalize="off"
      />
      <select name="channel" aria-label="Channel">
        <option value="">All channels</option>
        ${Object.entries(channel_names).map(
          ([value, name]) =>
            markup`<option value="${value}" ${value === channel ? markup`selected` : null}>${name}</option>`,
        )}
      </select>
      <button>Show</button>
      ${messages.length > 0 && markup`<button id="empty" type="button">Delete ${filtered ? 'these' : 'all'}</button>`}
    </form>
    <div aria-live="polite"><a class="card fresh" href="" hidden>There are newer messages: show them</a></div>
    ${messages.length === 0 && empty(filtered)}
    ${messages.map((message, index) => card(message, index === 0))}
    ${next_cursor !== null && markup`<p><a href="/dev/inbox?${older.toString()}">Older</a></p>`}
    </main>`
  return page({ title: 'Inbox', body, style, script, pictures: true })
}

function empty(filtered: boolean): Markup {
  return markup`<p class="card empty soft">
    ${filtered ? 'No message fits.' : 'Nothing yet. What the platform sends arrives here, not outside.'}
  </p>`
}

function card(message: InboxMessage, open: boolean): Markup {
  const { channel, received_at, provider } = message
  const when = received_at.replace('T', ' ').slice(0, 19)
  const title = message.subject ?? firstLine(message.text) ?? '(no subject)'
  return markup`<details class="card" data-id="${message.id}" ${open ? markup`open` : null}>
    <summary>
      <strong><span class="channel ${channel}">${channel_names[channel] ?? channel}</span> ${title}</strong>
      <time class="soft" datetime="${received_at}">${when}</time>
      <span class="soft">to ${shortly(message.to)}${message.from === '' ? '' : ` · from ${message.from}`}</span>
      <span class="soft provider">${provider}</span>
    </summary>
    ${message.html !== null && frame(message.html)}
    ${message.text !== null && textPart(message.text, message.html !== null)}
    ${message.attachments.length > 0 && attachments(message)}
    <div class="part">
      <details>
        <summary>Headers</summary>
        <pre tabindex="0">${headerLines(message)}</pre>
      </details>
      <a class="soft" href="/dev/inbox/messages/${message.id}">Everything as JSON, with the source</a>
      ${outcomes[channel] && reports(outcomes[channel])}
    </div>
  </details> `
}

/** The delivery reports that the provider can still send to the platform about this message. */
function reports(types: readonly string[]): Markup {
  return markup`<div class="reports"><span class="soft">Report it as</span>
    ${types.map(type => markup`<button type="button" data-outcome="${type}">${type}</button> `)}
    <output class="soft"></output></div>`
}

function firstLine(text: string | null): string | undefined {
  return text
    ?.split('\n')
    .find(line => line.trim() !== '')
    ?.slice(0, 120)
}

/**
 * Shortens endpoints and tokens of devices in the middle, because they are long and differ at their
 * ends.
 */
function shortly(to: string): string {
  return to.length > 90 ? `${to.slice(0, 40)}…${to.slice(-12)}` : to
}

function frame(source: string): Markup {
  const document = `<base target="_blank">${source}`
  return markup`<iframe
    title="The message"
    loading="lazy"
    referrerpolicy="no-referrer"
    sandbox="allow-popups allow-popups-to-escape-sandbox"
    srcdoc="${document}"
  ></iframe>`
}

/** A mail with HTML usually has the same content as text, so the text is folded. */
function textPart(text: string, folded: boolean): Markup {
  const body = markup`<pre tabindex="0">${linked(text)}</pre>`
  return folded
    ? markup`<div class="part">
        <details>
          <summary>Text version</summary>
          ${body}
        </details>
      </div>`
    : markup`<div class="part">${body}</div>`
}

function linked(text: string): Markup[] {
  return text
    .split(/(https?:\/\/[^\s<>"')\]]+)/)
    .map((piece, index) =>
      index % 2 === 1
        ? markup`<a href="${piece}" target="_blank" rel="noopener noreferrer">${piece}</a>`
        : markup`${piece}`,
    )
}

function attachments({ attachments: all }: InboxMessage): Markup {
  return markup`<div class="part soft">
    Attached:
    ${all
      .map(one => `${one.filename ?? 'unnamed'} (${one.content_type}, ${one.bytes} bytes)`)
      .join(', ')}
  </div>`
}

function headerLines({ headers }: InboxMessage): string {
  return Object.entries(headers)
    .flatMap(([name, value]) => [value].flat().map(one => `${name}: ${one}`))
    .join('\n')
}
