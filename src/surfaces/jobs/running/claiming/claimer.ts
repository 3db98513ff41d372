/**
 * How one process claims: it looks for lanes after a wake-up and once a second, shares its free places
 * out among those it knows, and goes on where it stopped in each. While lanes are left, looks run beside
 * the claims.
 */
import type { Db } from '../../../../kernel/database/db.ts'
import type { Keyring } from '../../../../kernel/keys.ts'
import type { TypeRules, TypeVersion } from '../rules.ts'
import { claimJobs, type Taken, type Worker } from './claim-jobs.ts'
import type { Claim } from './lane-cursor.ts'
import { openLookout } from './look-for-lanes.ts'
import { openLanes, type OpenLane } from './open-lanes.ts'
import { openRests } from './rests.ts'
import { shareOut } from './share-out.ts'
import type { Standings } from './standings.ts'
import { openTurns } from './turns.ts'

export type ClaimerDeps = {
  readonly db: Db
  readonly keys: Keyring
  readonly standings: Standings
  readonly tenant_limit: number
  /** What this process can run now. */
  types(): readonly TypeRules[]
  /** Monotonic. */
  now(): number
}

export type Claimer = {
  /** There may be lanes that are not known yet. */
  woken(): void
  /** At most `free` jobs; none means that nothing was found, or nothing that may run. */
  claim(worker: Worker, free: number): Promise<Taken[]>
}

const look_every_ms = 1000
const rounds_max = 4
const lanes_few = 16
const lanes_many = 256

export function openClaimer(deps: ClaimerDeps): Claimer {
  const { db, now } = deps
  const lookout = openLookout()
  const lanes = openLanes()
  const turns = openTurns()
  const rests = openRests()
  let woken = true
  let around = true
  let looked_ms = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | undefined

  const look = async () => {
    const types = deps.types()
    const began_ms = now()
    woken = false
    const seen = types.length > 0 ? await lookout.look(db, types) : { lanes: [], around: true }
    lanes.named(seen.lanes, lane => types.find(one => isSame(one, lane)))
    around = seen.around
    looked_ms = now()
    rests.ran(began_ms, looked_ms)
  }
  const lookIfDue = (): Promise<void> | undefined => {
    const open = lanes.all().length
    const due = woken || now() - looked_ms >= look_every_ms || (!around && open < lanes_few)
    if (!looking && due && open < lanes_many && rests.rested(now())) {
      looking = look().finally(() => {
        looking = undefined
      })
    }
    return looking
  }

  const round = async (worker: Worker, free: number): Promise<Taken[] | undefined> => {
    const looked = lookIfDue()
    if (lanes.all().length === 0) await looked
    else looked?.catch(() => {})
    const known = lanes.all()
    if (known.length === 0) return undefined
    await deps.standings.refresh(db, [...new Set(known.map(one => one.tenant_id))])
    const asked = quotasFor(known, free, deps, turns.of)
    if (asked.length === 0) return undefined
    const taken = await db.tx(tx => claimJobs(tx, deps.keys, worker, asked))
    settle(asked, taken, now())
    return taken
  }
  const settle = (asked: readonly Asked[], taken: readonly Taken[], now_ms: number) => {
    const served = new Map<string, number>()
    asked.forEach(({ lane, claim, quota }, at) => {
      const own = taken.filter(one => one.lane === at)
      const keys = own.map(({ rank, ready_at, job_id }) => ({ rank, ready_at, job_id }))
      lanes.found(lane, lane.cursor.took(claim, keys, quota, now_ms))
      // Where not all lanes are in view, one that was served waits until the others were.
      if (!around) lanes.leave(lane)
      served.set(lane.tenant_id, (served.get(lane.tenant_id) ?? 0) + own.length)
    })
    turns.served(served)
  }
  return {
    woken: () => {
      woken = true
    },
    claim: async (worker, free) => {
      const taken: Taken[] = []
      for (let rounds = 0; rounds < rounds_max && taken.length < free; rounds++) {
        const more = await round(worker, free - taken.length)
        if (more) taken.push(...more)
        else if (around || lanes.all().length > 0) break
      }
      return taken
    },
  }
}

type Asked = {
  readonly lane: OpenLane
  readonly claim: Claim
  readonly quota: number
  readonly rules: TypeRules
  readonly tenant_id: string
  readonly stretches: Claim['stretches']
}

function quotasFor(
  known: readonly OpenLane[],
  free: number,
  { standings, tenant_limit, now }: ClaimerDeps,
  turnOf: (tenant_id: string) => number,
): Asked[] {
  const open = known.filter(isFirstOfItsCap())
  const rooms = open.map(({ rules, tenant_id }) => ({
    tenant_id,
    room: rules.tenant_max_running ?? Number.POSITIVE_INFINITY,
  }))
  const quotas = shareOut(rooms, free, tenant_limit, id => ({
    running: standings.running(id),
    turn: turnOf(id),
  }))
  return open.flatMap((lane, at) => {
    const quota = quotas[at] ?? 0
    if (quota === 0) return []
    const { rules, tenant_id } = lane
    const claim = lane.cursor.next(now())
    return [{ lane, claim, quota, rules, tenant_id, stretches: claim.stretches }]
  })
}

/** A cap counts all versions of a type, so that only one of them is claimed from at a time. */
function isFirstOfItsCap(): (lane: OpenLane) => boolean {
  const seen = new Set<string>()
  return ({ rules, tenant_id }) => {
    if (rules.tenant_max_running === null) return true
    const name = `${rules.type} ${tenant_id}`
    if (seen.has(name)) return false
    seen.add(name)
    return true
  }
}

function isSame(one: TypeVersion, other: TypeVersion): boolean {
  return one.type === other.type && one.schema_version === other.schema_version
}
