/**
 * The inbox as a page. A mail's own HTML is shown in a frame that may run no script and has no
 * origin; its links open in a new tab, so that a newcomer can follow the link that was mailed to
 * them.
 */
import { markup, type Markup } from '../../kernel/http/markup.ts'
import type { InboxMessage } from './inbox-shapes.ts'
import { page, type Page } from './page.ts'

export type InboxView = {
  messages: readonly InboxMessage[]
  to: string | undefined
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
.fresh { display: none; padding: .6rem 1rem; text-align: center }
.fresh.there { display: block }
@media (max-width: 32rem) { details > summary { grid-template-columns: minmax(0, 1fr) }
  summary time.soft, summary span.provider { grid-column: 1; grid-row: auto; text-align: left } iframe {
  height: 22rem } }
`

// Looks for newer mail without reloading by itself: what is being read must not move away.
const script = `
const first = document.body.querySelector('[data-id]')?.dataset.id
const fresh = document.querySelector('.fresh')
const query = new URLSearchParams(location.search)
const look = async () => {
  const filter = query.get('to') ? '&to=' + encodeURIComponent(query.get('to')) : ''
  const answer = await fetch('/dev/inbox/messages?limit=1' + filter).catch(() => null)
  const newest = answer?.ok ? (await answer.json()).data[0]?.id : first
  fresh.classList.toggle('there', newest !== undefined && newest !== first && !query.has('cursor'))
}
setInterval(() => { if (!document.hidden) look() }, 3000)
document.querySelector('#empty')?.addEventListener('click', async event => {
  event.preventDefault()
  const filter = query.get('to') ? '?to=' + encodeURIComponent(query.get('to')) : ''
  await fetch('/dev/inbox/messages' + filter, { method: 'DELETE' })
  location.reload()
})
`

export function inboxPage({ messages, to, next_cursor }: InboxView): Page {
  const older = new URLSearchParams({ ...(to ? { to } : {}), cursor: next_cursor ?? '' })
  const body = markup`<header>
      <h1>Inbox</h1>
      <nav><a href="/dev">Everything</a><a href="/dev/inbox/messages">JSON</a></nav>
    </header>
    <form method="get" action="/dev/inbox">
      <input
        name="to"
        type="search"
        value="${to ?? ''}"
        placeholder="Recipient"
        aria-label="Recipient"
        autocapitalize="off"
      />
      <button>Show</button>
      ${messages.length > 0 && markup`<button id="empty" type="button">Delete ${to ? 'these' : 'all'}</button>`}
    </form>
    <a class="card fresh" href="">There is newer mail: show it</a>
    ${messages.length === 0 && empty(to)}
    ${messages.map((message, index) => card(message, index === 0))}
    ${next_cursor !== null && markup`<p><a href="/dev/inbox?${older.toString()}">Older</a></p>`}`
  return page({ title: 'Inbox', body, style, script, pictures: true })
}

function empty(to: string | undefined): Markup {
  return markup`<p class="card empty soft">
    ${
      to
        ? `No mail for ${to}.`
        : 'No mail yet. Whatever the platform sends arrives here, not outside.'
    }
  </p>`
}

function card(message: InboxMessage, open: boolean): Markup {
  const when = message.received_at.replace('T', ' ').slice(0, 19)
  return markup`<details class="card" data-id="${message.id}" ${open ? markup`open` : null}>
    <summary>
      <strong>${message.subject ?? '(no subject)'}</strong>
      <time class="soft" datetime="${message.received_at}">${when}</time>
      <span class="soft">to ${message.to} &middot; from ${message.from}</span>
      <span class="soft provider">${message.provider}</span>
    </summary>
    ${message.html !== null && frame(message.html)}
    ${message.text !== null && textPart(message.text, message.html !== null)}
    ${message.attachments.length > 0 && attachments(message)}
    <div class="part">
      <details>
        <summary>Headers</summary>
        <pre>${headerLines(message)}</pre>
      </details>
      <a class="soft" href="/dev/inbox/messages/${message.id}">Everything as JSON</a>
    </div>
  </details> `
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

/** Where there is HTML, the text is the other version of the same and stays folded. */
function textPart(text: string, folded: boolean): Markup {
  const body = markup`<pre>${linked(text)}</pre>`
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
