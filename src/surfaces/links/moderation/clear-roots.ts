/**
 * Removes the roots of custom hosts that a new blocklist entry blocks. A root redirects like a
 * link. A root that is set at the same time was screened before the entry was added. The entry
 * waited for that transaction, so no root is missed.
 */
import { Type, type Static } from 'typebox'
import { compilePattern, Id, nil_id, sql, type Sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { matchPattern } from '../destinations/blocked-patterns.ts'
import { reversedHost } from '../destinations/host.ts'
import { wholeDomain } from '../domains/domain-row.ts'

const portion = 500

const Rooted = Type.Object({ id: Id, root_url: Type.String() })
type Rooted = Static<typeof Rooted>
const Cleared = Type.Object({ tenant_id: Id, id: Id })

type Clearing = Pick<Deps, 'kernel' | 'changes'>

export async function clearRoots(
  deps: Clearing,
  entry: { readonly kind: string; readonly value: string },
  by: { readonly actor: string; readonly reason: string },
  signal: AbortSignal,
): Promise<void> {
  const { db } = deps.kernel
  let after: string | undefined = nil_id
  while (after) {
    signal.throwIfAborted()
    const rooted: Rooted[] = await db.many(
      Rooted,
      sql`
        -- any tenant: what is blocked is blocked for all
        select id, root_url from links.domains
        where root_url is not null and state <> 'removed' and id > ${after}
        order by id
        limit ${portion}`,
    )
    const pattern = entry.kind === 'regex' ? compilePattern(entry.value) : null
    const blocked = pattern
      ? rooted.filter(({ root_url }) => matchPattern(pattern, root_url) === 'yes')
      : await db.many(Rooted, blockedAmong(rooted, matchesOf(entry)))
    for (const one of blocked) await clear(deps, one, by)
    after = rooted.at(-1)?.id
  }
}

function blockedAmong(rooted: readonly Rooted[], matches: Sql): Sql {
  const hosts = rooted.map(({ root_url }) => reversedHost(new URL(root_url).hostname))
  // Compared byte by byte, like the columns of links.
  return sql`
    select id, destination_url as root_url
    from (
      select id, url as destination_url, host collate "C" as destination_host
      from unnest(${rooted.map(({ id }) => id)}::uuid[],
        ${rooted.map(({ root_url }) => root_url)}::text[], ${hosts}::text[]) as u (id, url, host)
    ) r
    where ${matches}`
}

/**
 * A condition for any table that has a `destination_url` and a `destination_host`. It does not
 * match patterns.
 */
export function matchesOf({ kind, value }: { readonly kind: string; readonly value: string }): Sql {
  const matching: Record<string, Sql> = {
    host: sql`destination_host = ${value}`,
    // The prefix ends in a dot, and the next character after the dot is the slash. So the condition
    // is a range, and any plan can use the index.
    suffix: sql`destination_host >= ${value} and destination_host < left(${value}, -1) || '/'`,
    url: sql`encode(sha256(convert_to(split_part(destination_url, '#', 1), 'UTF8')), 'hex')
      = ${value}`,
  }
  return matching[kind] ?? sql`false`
}

async function clear(
  { kernel, changes }: Clearing,
  { id, root_url }: Rooted,
  { actor, reason }: { readonly actor: string; readonly reason: string },
): Promise<void> {
  await kernel.db.tx(async tx => {
    const cleared = await tx.maybe(
      Cleared,
      sql`
        -- any tenant: the same row, if it still leads there
        update links.domains set root_url = null, updated_at = kernel.now()
        where id = ${id} and root_url = ${root_url}
        returning tenant_id, id`,
    )
    if (!cleared) return
    const by = { tenant_id: cleared.tenant_id, id: actor }
    tx.audit('links.domains.clear_root', id, { by, reason })
    await changes.changed(tx, [wholeDomain(cleared)])
  })
}
