/**
 * Writes security events. The stored parts of a request are safe to show: the network without its
 * last part, the family of the client, the request's id; never an address, a token or a code.
 */
import { isIPv4 } from 'node:net'
import { currentRequestId, newId, sql, type Tx } from '#dodeca/kernel'

/** The parts of a request that are read. A handler's `request` has all of them. */
export type Seen = {
  readonly ip: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** The actor and the request of an event. */
export type Act = {
  /** An account, API key or `cli:…`. */
  readonly actor: string
  readonly seen?: Seen
}

export type SecurityEvent = {
  readonly tenant_id: string
  readonly account_id: string | null
  readonly action: string
  /** An account or API key id, `anonymous` or `system`. */
  readonly actor: string
  readonly seen?: Seen
  readonly method?: string
  readonly reason?: string
}

export async function recordSecurityEvent(
  writer: Pick<Tx, 'run'>,
  event: SecurityEvent,
): Promise<void> {
  const { tenant_id, account_id, action, actor } = event
  const safe_context = sql.json(safeContextOf(event))
  await writer.run(sql`
    insert into identity.security_events
      (id, tenant_id, account_id, action, actor, safe_context)
    values (${newId()}, ${tenant_id}, ${account_id}, ${action}, ${actor}, ${safe_context})`)
}

/** Writes many with one statement. */
export async function recordSecurityEvents(
  writer: Pick<Tx, 'run'>,
  events: readonly SecurityEvent[],
): Promise<void> {
  await writer.run(sql`
    insert into identity.security_events
      (id, tenant_id, account_id, action, actor, safe_context)
    select e.id, e.tenant_id, e.account_id, e.action, e.actor, e.safe_context::jsonb
    from unnest(
      ${events.map(() => newId())}::uuid[],
      ${events.map(one => one.tenant_id)}::uuid[],
      ${events.map(one => one.account_id)}::uuid[],
      ${events.map(one => one.action)}::text[],
      ${events.map(one => one.actor)}::text[],
      ${events.map(one => sql.json(safeContextOf(one)))}::text[]
    ) e (id, tenant_id, account_id, action, actor, safe_context)`)
}

function safeContextOf({ seen, method, reason }: SecurityEvent) {
  const request_id = currentRequestId()
  return {
    ...(request_id ? { request_id } : {}),
    ...(seen ? { ip_prefix: ipPrefixOf(seen.ip), ua_family: uaFamilyOf(seen.headers) } : {}),
    ...(method ? { method } : {}),
    ...(reason ? { reason } : {}),
  }
}

/** /24 of IPv4, /48 of IPv6. */
export function ipPrefixOf(ip: string): string {
  if (isIPv4(ip)) return `${ip.split('.').slice(0, 3).join('.')}.0/24`
  const [head = ''] = ip.split('::', 1)
  const groups = [...head.split(':').filter(Boolean), '0', '0', '0'].slice(0, 3)
  return `${groups.map(group => Number.parseInt(group, 16).toString(16)).join(':')}::/48`
}

const families: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
  [/okhttp|Dalvik/i, 'Android'],
  [/CFNetwork|Darwin/, 'Apple'],
  [/node|undici/i, 'Node.js'],
]

export function uaFamilyOf(headers: Seen['headers']): string | null {
  const agent = headers['user-agent']
  if (typeof agent !== 'string' || agent === '') return null
  return families.find(([pattern]) => pattern.test(agent))?.[1] ?? 'other'
}
