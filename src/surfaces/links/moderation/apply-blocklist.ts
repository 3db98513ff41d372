/**
 * The job of a new blocklist entry. The job reads every existing link in any state and disables the
 * matching links. It also removes matching roots of custom hosts. It reads portions in the order of
 * the keys, one transaction each, and saves its position, so that another worker can continue.
 * Reading a link twice changes nothing. The job stops when its entry is removed.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { closed, compilePattern, Id, nil_id, sql } from '#dodeca/kernel'
import type { JobType, RunningJob, Sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { apply_type } from './blocklist.ts'
import { matchPattern } from '../destinations/blocked-patterns.ts'
import { clearRoots, matchesOf } from './clear-roots.ts'
import { applyVerdict } from './apply-verdict.ts'

const portion = 500

const Parameters = closed({ blocklist_id: Id })
const Result = Type.Object({ visited: Type.Integer(), judged: Type.Integer() })
const Place = Type.Object({
  domain_id: Id,
  code: Type.String(),
  visited: Type.Integer(),
  judged: Type.Integer(),
})
type Place = Static<typeof Place>

const Entry = Type.Object({
  id: Id,
  kind: Type.String(),
  value: Type.String(),
  action: Type.String(),
  reason: Type.String(),
})
type Entry = Static<typeof Entry>

const Visited = Type.Object({
  domain_id: Id,
  code: Type.String(),
  destination_version: Type.Integer(),
  destination_url: Type.String(),
  matches: Type.Boolean(),
})

export const beginning: Place = {
  domain_id: nil_id,
  code: '',
  visited: 0,
  judged: 0,
}

type Applying = Pick<Deps, 'kernel' | 'changes'>

export function applyBlocklist(deps: Applying): JobType {
  return {
    type: apply_type,
    schema_version: 1,
    parameters: Parameters,
    result: Result,
    permission: 'links.blocklist.manage',
    // The entry stays, so the links that it blocks must not stay open.
    outlives_owner: true,
    lease_seconds: 60,
    timeout_seconds: 6 * 3600,
    max_attempts: 10,
    run: job => run(deps, job),
  }
}

async function run(deps: Applying, job: RunningJob): Promise<Static<typeof Result>> {
  const { blocklist_id } = job.parameters as Static<typeof Parameters> // checked at its submission
  const entry = await deps.kernel.db.maybe(Entry, entryOf(blocklist_id))
  if (entry?.action === 'block') await clearRoots(deps, entry, byOf(entry), job.signal)
  let place = Value.Check(Place, job.checkpoint) ? job.checkpoint : beginning
  while (entry) {
    job.signal.throwIfAborted()
    const next = await applyPortion(deps, entry, place)
    if (!next) break
    place = next
    await job.progress({ stage: 'visiting', current: place.visited, checkpoint: place })
  }
  return { visited: place.visited, judged: place.judged }
}

function entryOf(id: string): Sql {
  return sql`
    select id, kind, value, action, reason from links.blocklist
    where id = ${id} and removed_at is null`
}

function byOf({ reason }: Entry) {
  return { actor: 'system:blocklist', reason }
}

async function applyPortion(
  { kernel: { db }, changes }: Applying,
  entry: Entry,
  place: Place,
): Promise<Place | null> {
  const by = byOf(entry)
  const visited = await db.many(Visited, portionOf(entry, place))
  const last = visited.at(-1)
  if (!last) return null
  const verdicts = await verdictsOf(entry, visited)
  const judged = await db.tx(async tx => {
    // Held until the commit, so that no link is disabled after the entry was removed.
    if (!(await tx.maybe(Entry, sql`${entryOf(entry.id)} for share`))) return null
    let changed = 0
    for (const [one, verdict] of verdicts) {
      if (await applyVerdict(tx, { changes }, one, verdict, by)) changed++
    }
    return changed
  })
  if (judged === null) return null
  const { domain_id, code } = last
  return {
    domain_id,
    code,
    visited: place.visited + visited.length,
    judged: place.judged + judged,
  }
}

type Verdict = 'malicious' | 'suspicious'

async function verdictsOf(
  { kind, value, action }: Entry,
  visited: readonly Static<typeof Visited>[],
): Promise<[Static<typeof Visited>, Verdict][]> {
  const verdict = action === 'block' ? 'malicious' : 'suspicious'
  if (kind !== 'regex') return visited.filter(one => one.matches).map(one => [one, verdict])
  const pattern = compilePattern(value)
  const found: [Static<typeof Visited>, Verdict][] = []
  for (const one of visited) {
    const match = matchPattern(pattern, one.destination_url)
    if (match === 'yes') found.push([one, verdict])
    if (match === 'unknown') found.push([one, 'suspicious'])
    // Matching a pattern may take some milliseconds. Other requests are served between two
    // patterns.
    await turn()
  }
  return found
}

/** An index finds hosts. URLs and patterns must be compared link by link. */
export function portionOf(
  { kind, value }: Pick<Entry, 'kind' | 'value'>,
  { domain_id, code }: Place,
): Sql {
  // Patterns are matched in this process, because it counts the steps.
  const matches = kind === 'regex' ? sql`false` : matchesOf({ kind, value })
  const wanted = kind === 'host' || kind === 'suffix' ? sql`and (${matches})` : sql.empty
  return sql`
    -- any tenant: what is blocked is blocked for all
    select domain_id, code, destination_version, destination_url, (${matches}) as matches
    from links.links
    where state <> 'deleted' and (domain_id, code) > (${domain_id}::uuid, ${code}::text)
      ${wanted}
    order by domain_id, code
    limit ${portion}`
}
