/**
 * Forbidden destinations. A new entry waits for all running screenings. Then its job checks the
 * existing links, so that no link is missed.
 */
import { Type, type Static } from 'typebox'
import { closed, compilePattern, Id, newId, Refused, sql, text, Time } from '#dodeca/kernel'
import type { Principal, Tx } from '#dodeca/kernel'
import type { Deps, Jobs } from '../deps.ts'
import { hostOf, reversedHost } from '../destinations/host.ts'
import { hashOf, holdScreening } from '../destinations/screen.ts'
import { spelled } from '../domains/find-domain.ts'
import { problem } from '../errors.ts'

export const Kind = Type.Unsafe<'host' | 'suffix' | 'url' | 'regex'>({
  type: 'string',
  enum: ['host', 'suffix', 'url', 'regex'],
})
const Action = Type.Unsafe<'block' | 'warn'>({ type: 'string', enum: ['block', 'warn'] })

export const AddEntry = closed(
  { kind: Kind, value: text(2048), action: Type.Optional(Action), reason: text(500) },
  { title: 'AddBlocklistEntry' },
)
export type AddEntry = Static<typeof AddEntry>

/**
 * A `url` is stored and shown as the SHA-256 of its normalized form without the part after `#`. So
 * the list reveals no URLs.
 */
export const Entry = Type.Object(
  {
    id: Id,
    kind: Kind,
    value: Type.String(),
    action: Action,
    reason: Type.String(),
    created_by: Id,
    created_at: Time,
  },
  { title: 'BlocklistEntry' },
)
export type Entry = Static<typeof Entry>
export const NewEntry = Type.Object(
  { ...Entry.properties, job_id: Id },
  { title: 'NewBlocklistEntry' },
)

const columns = sql`id, kind, value, action, reason, created_by, created_at`
export const apply_type = 'links.blocklist_apply'

export async function addEntry(
  tx: Tx,
  { kernel: { settings } }: Pick<Deps, 'kernel'>,
  jobs: Jobs,
  { tenant_id, id: actor }: Principal,
  { kind, value, action = 'block', reason }: AddEntry,
): Promise<Static<typeof NewEntry>> {
  const kept = keptValue(kind, value)
  if (kept === null) throw invalid(kind)
  if (kind === 'regex') demandPattern(kept)
  await holdScreening(tx)
  if (kind === 'regex') await demandRoom(tx, settings['links.blocklist_patterns'])
  const made = await tx.maybe(
    Entry,
    sql`
      insert into links.blocklist (id, kind, value, action, reason, created_by)
      values (${newId()}, ${kind}, ${kept}, ${action}, ${reason}, ${actor})
      on conflict do nothing
      returning ${columns}`,
  )
  if (!made) throw problem('blocklist_entry_exists')
  const parameters = { blocklist_id: made.id }
  const order = { type: apply_type, tenant_id, principal_id: actor, parameters }
  const job = await jobs.submit(tx, order)
  tx.audit('links.blocklist.add', made.id, { by: { tenant_id, id: actor }, reason })
  return { ...shown(made), job_id: job.id }
}

export function shown(entry: Entry): Entry {
  const host = entry.kind === 'host' || entry.kind === 'suffix'
  return host ? { ...entry, value: hostOf(entry.value) } : entry
}

function keptValue(kind: AddEntry['kind'], value: string): string | null {
  if (kind === 'host' || kind === 'suffix') {
    // Without this check, an entry for a page, a port or a user of a host would block the whole
    // host.
    if (/[/\\?#@\s]|:\d*$/.test(value.replace(/\[.*\]/, ''))) return null
    const hostname = spelled(value.replace(/^\*?\./, ''))
    if (!/^[a-z0-9._[\]:-]+$/.test(hostname) || hostname.length > 253) return null
    return reversedHost(hostname)
  }
  if (kind === 'regex') {
    if (value.length > 500) return null
    return value
  }
  const url = URL.parse(value)
  if (!url) return null
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1)
  return hashOf(url.href)
}

/** The refusal gives the reason, such as a look-ahead, which no linear engine supports. */
function demandPattern(pattern: string): void {
  try {
    compilePattern(pattern)
  } catch (error) {
    if (error instanceof Refused) throw invalid('regex', error)
    throw error
  }
}

/** Counted under a lock, so that no other entry is added meanwhile. */
async function demandRoom(tx: Tx, most: number): Promise<void> {
  const { patterns } = await tx.one(
    Type.Object({ patterns: Type.Integer() }),
    sql`
      select count(*)::int as patterns from links.blocklist
      where kind = 'regex' and removed_at is null`,
  )
  if (patterns >= most) throw problem('quota_exceeded')
}

const forms = {
  host: 'A host name such as www.example.com is required, without path or port. Kind url blocks one page.',
  suffix:
    'A host name such as example.com is required, without path or port; its sub-domains are included.',
  url: 'An absolute URL is required.',
  regex:
    'A regular expression of ECMAScript (flag u) of at most 500 characters is required, without look-around and back references.',
} as const

function invalid(kind: AddEntry['kind'], cause?: Refused) {
  const errors = [{ location: 'body', pointer: '/value', constraint: 'pattern' }] as const
  const detail = cause ? `${forms[kind]} ${cause.message}` : forms[kind]
  return problem('pattern_invalid', { detail, errors }, { cause })
}

export async function removeEntry(
  tx: Tx,
  { tenant_id, id: actor }: Principal,
  id: string,
): Promise<void> {
  const removed = await tx.maybe(
    Type.Object({ before: Type.Boolean() }),
    sql`
      with held as (select id, removed_at from links.blocklist where id = ${id} for update)
      update links.blocklist b set removed_at = coalesce(held.removed_at, kernel.now())
      from held where b.id = held.id
      returning held.removed_at is not null as before`,
  )
  if (!removed) throw problem('blocklist_entry_not_found')
  if (removed.before) return
  tx.audit('links.blocklist.remove', id, { by: { tenant_id, id: actor } })
}
