/**
 * What the crawler cannot know from a route: how to make one of the things that a path names, and what a
 * request must say to succeed. A route with a path parameter has an entry here, or the crawl fails.
 */
import { sql } from '../../src/kernel/database/sql.ts'
import { newId } from '../../src/kernel/ids.ts'
import { parseStandardSecret, signStandard } from '../../src/kernel/outside/signatures.ts'
import { report_secret } from '../surfaces/relay/receive-report.ts'
import type { Person, World } from '../world.ts'

/** Somebody who may do everything in a tenant, at work. */
export type Maker = {
  readonly world: World
  readonly person: Person
  /** Asks the platform, and answers the body of a success; anything else is thrown. */
  // oxlint-disable-next-line typescript/no-explicit-any -- whoever makes a thing knows its members
  ask(method: string, path: string, body?: unknown): Promise<any>
}

export type Subject = {
  /** Makes a new one and answers what stands for it in the path. */
  make(maker: Maker): Promise<string> | string
  /** No tenant owns it: every tenant sees the same. */
  readonly shared?: true
}

/** By the path up to and including the parameter: `{id}` alone means something else in every surface. */
export const subjects: Readonly<Record<string, Subject>> = {
  '/problems/{code}': { shared: true, make: () => 'not_found' },
  '/v1/event-parks/{id}': { shared: true, make: makePark },
  '/v1/providers/{provider}': { shared: true, make: () => 'vendor' },
  '/v1/notes/{note_id}': {
    make: async ({ ask }) => (await ask('POST', '/v1/notes', { title: 'a note' })).id,
  },
  '/v1/book/accounts/{account_id}': { make: openAccount },
}

export type Raw = { readonly bytes: Buffer; readonly headers: Record<string, string> }

export type Recipe = {
  /** For a route that takes bytes: the bytes, and the headers that sign them. */
  raw?(maker: Maker): Promise<Raw> | Raw
  body?(maker: Maker): unknown
  query?(maker: Maker): Promise<Record<string, string>> | Record<string, string>
}

/** By operation, where the smallest request that fits the schema does not succeed. */
export const recipes: Readonly<Record<string, Recipe>> = {
  'POST /v1/book/transfers': {
    body: async maker => ({
      from_id: await openAccount(maker),
      to_id: await openAccount(maker),
      amount_minor: 5,
    }),
  },
  'POST /v1/providers/{provider}/webhooks': { raw: signedReport },
  // A point that no code passes, so that nothing breaks while others crawl.
  'POST /dev/faults': { body: () => ({ point: 'crawler.nowhere', action: 'throw' }) },
  'POST /dev/clock': { body: () => ({ offset_seconds: 0 }) },
  'POST /dev/events': {
    body: ({ person }) => ({
      type: 'note.written',
      tenant: person.principal.tenant_id,
      data: { note_id: newId() },
    }),
  },
}

function signedReport({ world }: Maker): Raw {
  const secret = parseStandardSecret(report_secret)
  if (!secret) throw new Error('the secret is malformed')
  const bytes = Buffer.from('{}')
  const timestamp_seconds = world.platform.kernel.clock.nowSeconds()
  const headers = signStandard({ id: newId(), timestamp_seconds, body: bytes, secrets: [secret] })
  return { bytes, headers: { ...headers, 'content-type': 'application/json' } }
}

async function openAccount({ ask }: Maker): Promise<string> {
  const account = await ask('POST', '/v1/book/accounts', { name: 'purse', balance_minor: 100 })
  return account.id
}

/** Only a consumer that gave up makes a dead park, so its row is written as that consumer leaves it. */
async function makePark({ world }: Maker): Promise<string> {
  const id = newId()
  await world.platform.kernel.db.run(sql`
    insert into kernel.event_parks
      (id, consumer, lane, aggregate_id, event_id, first_position, attempts, last_error_code, state)
    values (${id}, 'crawler.nobody', 0, ${newId()}, ${newId()}, 1, 6, 'crawled', 'dead')`)
  return id
}
