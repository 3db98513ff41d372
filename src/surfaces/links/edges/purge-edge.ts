/**
 * Purges redirects from an edge cache after a change of a link or the end of a domain. The purge is
 * stored in the transaction that consumes the event. It is sent again until the edge has accepted
 * it. A purge has one of two forms: the method PURGE for the short URL (or the root) with the
 * surrogate key, or one JSON message.
 */
import { Type, type Static } from 'typebox'
import { done, dueQueue, sql, type Consumer, type DueQueue } from '#dodeca/kernel'
import { domainKey, linkKey } from '../cache/cache-headers.ts'
import type { Deps } from '../deps.ts'

const queue_name = 'links.edge_purges'
const timeout_ms = 5000

/** The surrogate key of a link, or of a whole domain. */
type About = { readonly domain_id: string; readonly link_id?: string; readonly code?: string }

export function purgeConsumer(): Consumer {
  return {
    name: queue_name,
    events: [
      'link.updated',
      'link.disabled',
      'link.enabled',
      'link.expired',
      'link.deleted',
      'link.scanned',
      'domain.suspended',
      'domain.removed',
    ],
    run: async (tx, event) => {
      const { domain_id, link_id = null, code = '' } = event.payload as About // as events.ts declares them
      await tx.run(sql`
        insert into links.edge_purges (event_id, link_id, domain_id, code)
        values (${event.id}, ${link_id}, ${domain_id}, ${code})`)
      tx.wake(queue_name)
    },
  }
}

const Purge = Type.Object({
  id: Type.Integer(),
  event_id: Type.String(),
  domain_id: Type.String(),
  /** If `link_id` is null and the code is empty, the whole domain is purged. */
  link_id: Type.Union([Type.String(), Type.Null()]),
  code: Type.String(),
  /** Null on the platform's own hosts. */
  hostname: Type.Union([Type.String(), Type.Null()]),
})
type Purge = Static<typeof Purge>

export function purgeQueue(deps: Pick<Deps, 'kernel' | 'platform'>): DueQueue {
  return dueQueue({
    name: queue_name,
    table: queue_name,
    key: ['id'],
    row: Purge,
    load: sql`
      -- any tenant: the edge holds links of all of them
      t.event_id, t.domain_id, t.link_id, t.code,
      (select d.hostname from links.domains d where d.id = t.domain_id) as hostname`,
    batch: 20,
    concurrency: 20,
    lease_seconds: 15,
    retry: { first: 30, factor: 2, cap: 1800 },
    attempts_max: 60,
    run: async (purge, signal) => {
      await askEdge(deps, purge, AbortSignal.any([signal, AbortSignal.timeout(timeout_ms)]))
      return done()
    },
    finish: async (tx, { id }, outcome) => {
      if (outcome.end === 'done') await tx.run(sql`delete from links.edge_purges where id = ${id}`)
    },
  })
}

async function askEdge(
  { kernel: { settings }, platform }: Pick<Deps, 'kernel' | 'platform'>,
  purge: Purge,
  signal: AbortSignal,
): Promise<void> {
  const { 'links.purge': how, 'links.purge_url': base } = settings
  if (base === null) throw new Error('LINKS_PURGE needs LINKS_PURGE_URL')
  const host = purge.hostname ?? platform.hostname
  const path = `/${purge.code}`
  const key = purge.link_id === null ? domainKey(purge.domain_id) : linkKey(purge.link_id)
  const common = { redirect: 'manual', signal } as const
  const response =
    how === 'purge'
      ? await fetch(new URL(path, base), {
          ...common,
          method: 'PURGE',
          headers: { 'x-forwarded-host': host, 'surrogate-key': key },
        })
      : await fetch(base, {
          ...common,
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ id: purge.event_id, host, path, surrogate_key: key }),
        })
  await response.body?.cancel()
  // An edge that has no stored copy replies 404.
  if (!response.ok && response.status !== 404) {
    throw new Error(`the edge answered ${response.status}`)
  }
}
