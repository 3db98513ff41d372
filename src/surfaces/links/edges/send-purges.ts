/**
 * Tells the edge to forget changed links, and domains that have ended: by the method PURGE for the short
 * address (or the root) and the surrogate key, or as one JSON message. A purge is claimed under a lease and goes when the edge has answered; one that
 * fails is sent again, ever more slowly, for a day.
 */
import { Type, type Static } from 'typebox'
import { sql } from '../../../kernel/database/sql.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Kernel } from '../settings.ts'
import type { Deps } from '../deps.ts'
import { domainKey, linkKey } from '../cache/cache-headers.ts'

const portion = 20
const attempts_max = 60
const timeout_ms = 5000

const Purge = Type.Object({
  id: Type.Integer(),
  event_id: Type.String(),
  domain_id: Type.String(),
  /** Null with an empty code: the whole domain. */
  link_id: Type.Union([Type.String(), Type.Null()]),
  code: Type.String(),
  /** Null on the platform's own hosts. */
  hostname: Type.Union([Type.String(), Type.Null()]),
  attempts: Type.Integer(),
})
type Purge = Static<typeof Purge>

type Sending = Pick<Deps, 'platform'> & { readonly kernel: Kernel }

/** Until nothing is due. */
export async function sendPurges(deps: Sending, signal: AbortSignal): Promise<void> {
  const lease_token = newId()
  while (!signal.aborted) {
    const claimed = await claim(deps, lease_token)
    await Promise.all(claimed.map(purge => sendOne(deps, lease_token, purge)))
    if (claimed.length < portion) return
  }
}

function claim({ kernel: { db } }: Sending, lease_token: string): Promise<Purge[]> {
  return db.many(
    Purge,
    sql`
      -- any tenant: the edge keeps the links of all of them
      with due as (
        select id from links.edge_purges where due_at <= now()
        order by due_at limit ${portion} for update skip locked
      )
      update links.edge_purges p
      set lease_token = ${lease_token}, attempts = p.attempts + 1,
        due_at = now() + make_interval(secs => least(1800, 30 * 2 ^ least(p.attempts, 6)))
      from due where due.id = p.id
      returning p.id, p.event_id, p.domain_id, p.link_id, p.code, p.attempts,
        (select d.hostname from links.domains d where d.id = p.domain_id) as hostname`,
  )
}

async function sendOne(deps: Sending, lease_token: string, purge: Purge): Promise<void> {
  const { db, log } = deps.kernel
  try {
    await tell(deps, purge)
  } catch (error) {
    const { domain_id, link_id, attempts } = purge
    log.warn({ err: error, domain_id, link_id, attempts }, 'no edge purge')
    if (purge.attempts < attempts_max) return
  }
  await db.run(sql`
    delete from links.edge_purges where id = ${purge.id} and lease_token = ${lease_token}`)
}

async function tell({ kernel: { settings }, platform }: Sending, purge: Purge): Promise<void> {
  const { 'links.purge': how, 'links.purge_url': base } = settings
  if (base === null) throw new Error('LINKS_PURGE needs LINKS_PURGE_URL')
  const host = purge.hostname ?? platform.hostname
  const key = purge.link_id === null ? domainKey(purge.domain_id) : linkKey(purge.link_id)
  const signal = AbortSignal.timeout(timeout_ms)
  const response =
    how === 'purge'
      ? await fetch(new URL(`/${purge.code}`, base), {
          method: 'PURGE',
          headers: { 'x-forwarded-host': host, 'surrogate-key': key },
          redirect: 'manual',
          signal,
        })
      : await fetch(base, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            id: purge.event_id,
            host,
            path: `/${purge.code}`,
            surrogate_key: key,
          }),
          redirect: 'manual',
          signal,
        })
  await response.body?.cancel()
  // An edge that kept nothing says so.
  if (!response.ok && response.status !== 404) throw new Error(`the edge said ${response.status}`)
}
