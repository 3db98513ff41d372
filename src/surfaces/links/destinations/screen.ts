/**
 * The platform's own rules for a destination. They do not fetch the destination. The result is
 * refused, suspicious, or no objection. Reading the blocklist holds a shared lock until the commit.
 * So a new entry waits for all transactions that have not seen the entry. The job of the entry then
 * finds their links, and no link is missed.
 */
import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { Id, sql, type Sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { scan_queue } from './scan-links.ts'
import { reversedParents } from './host.ts'
import { notAllowed, type Destination } from './normalize.ts'
import { isShortener } from './shorteners.ts'

/** The initial states of a link to the destination. */
export type Screened = {
  readonly state: 'active' | 'pending_scan'
  readonly safety_state: 'clean' | 'suspicious' | 'unscanned'
  /** Whether an external engine must be asked. */
  readonly scan: boolean
}

const lock = 5_330_211
const Found = Type.Object({
  own: Type.Boolean(),
  blocked: Type.Boolean(),
  warned: Type.Boolean(),
  reported: Type.Boolean(),
  patterns: Type.Array(Id),
})

export type Screening = Pick<Deps, 'kernel' | 'platform' | 'reputation' | 'lookAlikes' | 'patterns'>

export async function screen(
  tx: Tx,
  deps: Screening,
  destination: Destination,
  pointer?: string,
): Promise<Screened> {
  const { kernel, platform, reputation, lookAlikes } = deps
  const [, found] = await Promise.all([
    tx.run(sql`select pg_advisory_xact_lock_shared(${lock})`),
    tx.one(Found, against(destination, kernel.settings['links.young_report_hours'])),
  ])
  if (found.own || platform.hosts.has(destination.hostname)) throw notAllowed('loop', pointer)
  const matched = await deps.patterns.match(tx, found.patterns, destination.url)
  if (found.blocked || matched.blocked) throw notAllowed('blocked', pointer)
  const pretending = lookAlikes.isPretending(destination.hostname)
  const shortener = isShortener(destination.hostname)
  const scan = reputation !== null
  if (scan) tx.wake(scan_queue)
  if (found.warned || matched.warned || found.reported || pretending || shortener) {
    return { state: 'pending_scan', safety_state: 'suspicious', scan }
  }
  if (scan) return { state: 'pending_scan', safety_state: 'unscanned', scan }
  return { state: 'active', safety_state: 'clean', scan }
}

/** Called for a new blocklist entry. Waits for all running screenings. */
export async function holdScreening(tx: Tx): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(${lock})`)
}

export function against({ url, hostname, reversed_host }: Destination, young_hours: number): Sql {
  return sql`
    -- any tenant: what is dangerous, and which hosts are ours, is the same for all
    select
      exists (
        select from links.domains where hostname = ${hostname} and state in ('active', 'suspended')
      ) as own,
      coalesce(bool_or(action = 'block') filter (where kind <> 'regex'), false) as blocked,
      coalesce(bool_or(action = 'warn') filter (where kind <> 'regex'), false) as warned,
      coalesce(array_agg(id order by id) filter (where kind = 'regex'), '{}') as patterns,
      exists (
        select from links.link_reports r join links.links l using (domain_id, code)
        where r.state = 'received' and r.destination_host = ${reversed_host}
          and r.created_at > kernel.now() - make_interval(hours => ${young_hours})
          and split_part(l.destination_url, '#', 1) = ${bareUrl(url)}
      ) as reported
    from links.blocklist
    where removed_at is null and (
      (kind = 'host' and value = ${reversed_host})
      or (kind = 'suffix' and value = any(${reversedParents(reversed_host)}::text[]))
      or (kind = 'url' and value = ${hashOf(url)})
      or kind = 'regex')`
}

/**
 * A browser never sends the part after the `#`. So a blocked URL is blocked with any text after the
 * `#`.
 */
function bareUrl(url: string): string {
  return url.replace(/#.*$/s, '')
}

export function hashOf(url: string): string {
  return createHash('sha256').update(bareUrl(url)).digest('hex')
}
