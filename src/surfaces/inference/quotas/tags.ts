/**
 * Tags say what the cost of a call is for. A call has those that it sends and those of its
 * principal. A tenant has a limited number of them, so rows and groups stay few.
 */
import { Type } from 'typebox'
import { limit, Problem, sql } from '#dodeca/kernel'
import type { RequestFacts, Sql, Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'

const tags_max = limit('inference.call_tags', 4, 'tags', 'Tags that one call sends')
const pattern = '^[a-z0-9][a-z0-9:_.-]{0,63}$'
const form = new RegExp(pattern)

const Tag = Type.String({ pattern, minLength: 1, maxLength: 64 })
export const Tags = Type.Array(Tag, { maxItems: tags_max, uniqueItems: true })

/** Only an administrator gives these, so that no caller can charge another team. */
const reserved = 'team:'

export function isTag(text: string): boolean {
  return form.test(text)
}

/** The tags of a request. */
export function sentTags(
  tags: readonly string[],
  location: 'body' | 'header',
  pointer: string,
): readonly string[] {
  const at = tags.findIndex(tag => tag.startsWith(reserved))
  if (at === -1) return tags
  const errors = [{ location, pointer: `${pointer}/${at}`, constraint: 'reserved' }]
  throw problem('tag_reserved', { errors })
}

/** The tags in the header `X-Tags`. */
export function tagsIn(headers: RequestFacts['headers']): readonly string[] {
  const sent = [headers['x-tags'] ?? []].flat().join(',')
  const tags = [...new Set(sent.split(',').flatMap(tag => tag.trim() || []))]
  if (tags.length <= tags_max && tags.every(isTag)) return sentTags(tags, 'header', '/x-tags')
  throw problem('validation_failed', {
    detail: `X-Tags is a list of up to ${tags_max} tags with commas between them. A tag has at most 64 of a-z, 0-9 and : _ . - and begins with a letter or digit.`,
    errors: [{ location: 'header', pointer: '/x-tags', constraint: 'pattern' }],
  })
}

/** Sent tags with those of the principal and, for a key, of its account. Sorted, each once. */
export function tagsOf(tenant_id: string, principal_id: string, sent: readonly string[]): Sql {
  return sql`array(
    select unnest(${sent}::text[]) as tag
    union
    select unnest(l.tags) from inference.quota_limits l
    where l.tenant_id = ${tenant_id} and l.scope_type = 'principal'
      and l.scope_id = any(array(select ${principal_id}::text union all
        select k.account_id::text from inference.key_owners k
        where k.tenant_id = ${tenant_id} and k.key_id = ${principal_id}))
    order by tag)`
}

const known_max = 10_000
type Known = { readonly day: string; readonly tags: Set<string> }
const known_by = new WeakMap<object, Known>()

/**
 * Counts tags that are new for the tenant, and notes that they are used. A process does it once a
 * day for each: what is not used for weeks is deleted by the retention.
 */
export async function keepTags(
  tx: Tx,
  { kernel }: Pick<Deps, 'kernel'>,
  tenant_id: string,
  tags: readonly string[],
): Promise<void> {
  const known = knownToday(kernel)
  const asked = tags.filter(tag => !known.has(`${tenant_id} ${tag}`)).toSorted()
  if (asked.length === 0) return
  const found = await tx.many(
    Type.Object({ tag: Type.String(), is_noted: Type.Boolean() }),
    sql`
      select tag, used_at > kernel.now() - interval '12 hours' as is_noted from inference.tags
      where tenant_id = ${tenant_id} and tag = any(${asked}::text[])`,
  )
  const fresh = asked.filter(tag => !found.some(one => one.tag === tag))
  if (fresh.length > 0) await refuseMore(tx, kernel, tenant_id, fresh.length)
  if (found.filter(one => one.is_noted).length < asked.length) {
    await noteUse(tx, tenant_id, asked)
  }
  tx.afterCommit(() => {
    if (known.size >= known_max) known.clear()
    for (const tag of asked) known.add(`${tenant_id} ${tag}`)
  })
}

function knownToday(kernel: Deps['kernel']): Set<string> {
  const day = new Date(kernel.clock.nowMs()).toISOString().slice(0, 10)
  const known = known_by.get(kernel)
  if (known?.day === day) return known.tags
  const tags = new Set<string>()
  known_by.set(kernel, { day, tags })
  return tags
}

/**
 * Of calls of one moment one writes a row, and the others hold it no longer than it took to see that. The insert also writes a tag again that the retention has deleted meanwhile.
 */
async function noteUse(tx: Tx, tenant_id: string, tags: readonly string[]): Promise<void> {
  await tx.run(sql`
    update inference.tags t set used_at = kernel.now()
    from (
      select tag from inference.tags
      where tenant_id = ${tenant_id} and tag = any(${tags}::text[])
        and used_at <= kernel.now() - interval '12 hours'
      order by tag for update) l
    where t.tenant_id = ${tenant_id} and t.tag = l.tag`)
  await tx.run(sql`
    insert into inference.tags (tenant_id, tag)
    select ${tenant_id}, unnest(${tags}::text[]) on conflict do nothing`)
}

async function refuseMore(tx: Tx, kernel: Deps['kernel'], tenant_id: string, by: number) {
  const most = kernel.settings['inference.tags']
  const rows = sql`select from inference.tags where tenant_id = ${tenant_id}`
  try {
    await kernel.counted(tx, `inference.tags:${tenant_id}`, most, rows, by)
  } catch (error) {
    const is_full = error instanceof Problem && error.code === 'quota_exceeded'
    throw is_full ? problem('too_many_tags') : error
  }
}
