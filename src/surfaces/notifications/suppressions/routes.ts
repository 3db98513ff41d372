/** Routes about suppressed addresses and unsubscribe links. */
import { Type, type Static } from 'typebox'
import {
  closed,
  columnsOf,
  equal,
  htmlPage,
  Id,
  looked,
  markup,
  oneOf,
  pageHeaders,
  reply,
  routesOf,
  sql,
  text,
  Time,
} from '#dodeca/kernel'
import type { Markup, Tx } from '#dodeca/kernel'
import { destinationHash, parseEmail, parsePhone } from '../addresses.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { removeRow } from '../remove-row.ts'
import { CategoryName } from '../schemas.ts'
import { suppress } from './suppress.ts'

const NewSuppression = closed(
  {
    destination: text(320),
    channel: oneOf('email', 'sms'),
    category: Type.Optional(CategoryName),
  },
  { title: 'NewSuppression' },
)
const SuppressionView = Type.Object(
  {
    id: Id,
    /** Keyed by the tenant, so that it has no meaning elsewhere and does not reveal the address. */
    destination_hash: Type.String(),
    channel: Type.String(),
    category: Type.String(),
    reason: Type.String(),
    effective_at: Time,
  },
  { title: 'Suppression' },
)

const path = '/v1/suppressions'
const absent = 'suppression_not_found'
const columns = { destination_hash: sql`encode(t.destination_hash, 'hex')` }

function hashOf(keys: Deps['kernel']['keys'], tenant_id: string, destination: string): Buffer {
  const address = parseEmail(destination) ?? parsePhone(destination)
  if (address) return destinationHash(keys, tenant_id, address)
  throw problem('invalid_destination', {
    errors: [{ location: 'query', pointer: '/destination', constraint: 'destination' }],
  })
}

function readSuppression(
  tx: Tx,
  tenant_id: string,
  id: string,
): Promise<Static<typeof SuppressionView>> {
  return tx.one(
    SuppressionView,
    sql`
      select ${columnsOf(SuppressionView, 't', columns)} from notifications.suppressions t
      where t.tenant_id = ${tenant_id} and t.id = ${id}`,
  )
}

const link = '/v1/unsubscribe/{token}'
const params = { token: text(400) }

const style = `:root { color-scheme: light dark }
body { margin: 0 auto; max-width: 32rem; padding: 3rem 1.25rem; font: 1.05rem/1.6 system-ui, sans-serif;
  background: light-dark(#f3f4f6, #121417); color: light-dark(#1c2026, #e6e9ee) }
h1 { font-size: 1.5rem }
button { font: inherit; font-weight: 600; padding: .7rem 1.4rem; border: 0; border-radius: .5rem;
  background: light-dark(#1f5fbf, #82b1ff); color: light-dark(#fff, #10131a); cursor: pointer }
`

const page_headers = pageHeaders(style, "form-action 'self'; ")

const { open, list, create, get, post, del } = routesOf<Deps>({
  read: 'notifications.suppressions.read',
  write: 'notifications.suppressions.write',
  added: true,
  absent: 'token_not_found',
})

export const suppressionRoutes = open({
  listSuppressions: list(
    path,
    'List suppressed addresses, newest first, as hashes, or find those of one address',
    {
      description: '`since` and `until` refer to `effective_at`.',
      from: 'notifications.suppressions',
      row: SuppressionView,
      columns,
      within: ({ principal: { tenant_id }, query: { destination } }, { kernel: { keys } }) =>
        destination === undefined
          ? sql`true`
          : sql`t.destination_hash = ${hashOf(keys, tenant_id, destination)}`,
      // A second reason changes it, and not the id.
      time: { column: 'effective_at', ids: null },
      filters: {
        channel: looked(oneOf('email', 'sms', 'push')),
        destination: equal(text(320), () => sql`true`),
      },
      find: [],
      fails: ['invalid_destination'],
    },
  ),

  createSuppression: create(
    path,
    'Suppress an address, in one category or in all',
    {
      body: NewSuppression,
      reply: SuppressionView,
      fails: ['invalid_destination', 'already_exists'],
    },
    async ({ tx, principal, body }, { kernel: { keys } }) => {
      const { tenant_id } = principal
      const address =
        body.channel === 'email' ? parseEmail(body.destination) : parsePhone(body.destination)
      if (!address) {
        throw problem('invalid_destination', {
          errors: [{ location: 'body', pointer: '/destination', constraint: body.channel }],
        })
      }
      const hash = destinationHash(keys, tenant_id, address)
      const { channel, category = '*' } = body
      const id = await suppress(tx, { tenant_id, hash, channel, category, reason: 'manual' })
      if (id === null)
        throw problem('already_exists', { detail: 'This address is suppressed already.' })
      return reply(201, await readSuppression(tx, tenant_id, id), { location: `${path}/${id}` })
    },
  ),

  deleteSuppression: del(
    `${path}/{id}`,
    'Remove a suppression, so that the address receives messages again',
    { absent },
    async ({ tx, params: { id }, principal }) => {
      const { tenant_id } = principal
      const removed = await removeRow(
        tx,
        { tenant_id, id },
        sql`delete from notifications.suppressions where tenant_id = ${tenant_id} and id = ${id}`,
      )
      if (removed === 'absent') throw problem(absent)
      if (removed === 'before') return
      tx.audit('notifications.suppressions.remove', `suppression:${id}`)
    },
  ),

  /** Mail scanners follow links, so the page only shows a button. */
  getUnsubscribePage: get(
    link,
    'Show a page with a button to unsubscribe',
    {
      permission: 'public',
      foreign_query: true,
      params,
      produces: ['text/html'],
      reply: Type.String(),
    },
    ({ params: { token } }, { unsubscribe }) => {
      const found = unsubscribe.read(token)
      if (!found) throw problem('token_not_found')
      return reply(200, unsubscribePage(offer(found.category)), page_headers)
    },
  ),

  unsubscribe: post(
    link,
    'Unsubscribe with one click (RFC 8058)',
    {
      permission: 'public',
      foreign_query: true,
      // A repeat finds the address unsubscribed.
      idempotency: 'ignored',
      consumes: 'raw',
      body_limit_bytes: 1024,
      params,
      produces: ['text/html'],
      reply: Type.String(),
    },
    async ({ tx, params: { token } }, { unsubscribe }) => {
      const found = unsubscribe.read(token)
      if (!found) throw problem('token_not_found')
      await suppress(tx, { ...found, channel: 'email', reason: 'unsubscribe' })
      return reply(
        200,
        unsubscribePage(markup`<h1>Done</h1>
        <p>You get no more mails of <strong>${found.category}</strong> at this address.</p>`),
        page_headers,
      )
    },
  ),
})

function offer(category: string): Markup {
  return markup`<h1>Unsubscribe</h1>
    <p>No more mails of <strong>${category}</strong> are sent to this address. Other mails, such as those about your account, still are.</p>
    <form method="post"><button name="List-Unsubscribe" value="One-Click">Unsubscribe</button></form>`
}

function unsubscribePage(body: Markup): string {
  return htmlPage({ title: 'Unsubscribe', style, body: markup`<main>${body}</main>` })
}
