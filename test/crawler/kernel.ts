/** The kernel's own routes, whichever surfaces stand on it. */
import { newId, sql } from '#dodeca/kernel'
import { recordOutcome } from '../../src/kernel/idempotency/records.ts'
import type { Crawl, Maker } from '../../src/testing/contract/crawl.ts'

export const kernel: Required<Crawl> = {
  subjects: {
    '/problems/{code}': { shared: true, make: () => 'not_found' },
    '/v1/event-parks/{id}': { shared: true, make: makePark },
    // Types belong to the platform.
    '/v1/event-types/{type}': { shared: true, make: makeType },
    '/v1/requests/{request_id}': { make: makeRequest },
  },
  recipes: {
    'GET /v1/matches': { request: () => ({ query: { q: 'crawled' } }) },
    'POST /mcp': {
      request: () => ({
        bytes: Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })),
        headers: { 'content-type': 'application/json' },
      }),
    },
    // For a tenant that does not exist, so that nothing breaks while others crawl.
    'POST /dev/faults': {
      request: () => ({ body: { point: 'kernel.consumer', action: 'throw', match: newId() } }),
    },
    'PUT /v1/event-types/{type}': { request: () => ({ body: event_type }) },
    'POST /v1/events': {
      request: async maker => ({ body: { events: [{ type: await makeType(maker), data: {} }] } }),
    },
    'PUT /dev/dns': { request: () => ({ body: { name: '_a.acme.test', records: ['b'] } }) },
    'POST /dev/clock': { request: () => ({ body: { offset_seconds: 0 } }) },
  },
}

const event_type = { description: 'A crawl was made.', schema: { type: 'object' } }

async function makeType({ ask }: Maker): Promise<string> {
  const type = `crawl_${newId().replaceAll('-', '_')}.made`
  await ask('PUT', `/v1/event-types/${type}`, event_type)
  return type
}

/**
 * The inbox shows what the sandbox received, which does not run here; its own tests crawl with it.
 * The console is one page at any address below its own, and is tested in a browser. GET /mcp only says
 * that there is nothing.
 */
export const outside = /^(GET \/mcp$|[A-Z]+ \/(dev\/inbox|console))/

/** Only a consumer that gave up makes a dead park, so its row is written as that consumer leaves it. */
async function makePark({ world }: Maker): Promise<string> {
  const id = newId()
  await world.platform.kernel.db.run(sql`
    insert into kernel.event_parks
      (id, consumer, lane, tenant_id, aggregate_id, event_id, first_position, attempts, last_error_code, state)
    values (${id}, 'crawler.none', 0, ${newId()}, ${newId()}, ${newId()}, 1, 6,
      'crawled', 'dead')`)
  return id
}

/** A write with a key, as any route records it. */
async function makeRequest({ world, person }: Maker): Promise<string> {
  const request_id = newId()
  const scope = {
    principal_id: newId(),
    tenant_id: person.tenant.id,
    operation: 'POST /v1/crawled',
    key: newId(),
    fingerprint: Buffer.alloc(32),
    request_id,
  }
  const outcome = { status: 201, headers: { location: '/v1/crawled/1' }, body: '{}' }
  const rules = { retention_hours: 24, by_reference: false, seal: null }
  await world.platform.kernel.db.run(recordOutcome(scope, outcome, rules))
  return request_id
}
