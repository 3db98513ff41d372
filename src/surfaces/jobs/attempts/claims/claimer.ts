/**
 * The claiming of one process. It scans for lanes after a wake-up and once a second. It divides its
 * free slots among the known lanes, and continues in each lane where it stopped. While known lanes
 * have jobs, scans run in parallel to the claims.
 */
import type { Db, Keyring } from '#dodeca/kernel'
import type { TypeRules, TypeVersion } from '../rules.ts'
import { askLanes, learn, type Sharing } from './ask-lanes.ts'
import { claimAlone, type Taken, type Worker } from './claim-jobs.ts'
import { openLaneFinder } from './find-lanes.ts'
import { openLanes } from './open-lanes.ts'
import { openRests } from './scan-backoff.ts'

export type ClaimerDeps = Sharing & {
  readonly db: Db
  readonly keys: Keyring
  /** The types that this process can run now. */
  types(): readonly TypeRules[]
}

export type Claimer = {
  /** There may be lanes that are not known yet. */
  woken(): void
  /** Claims at most `free` jobs. Returns none if no job was found or none may run. */
  claim(worker: Worker, free: number): Promise<Taken[]>
}

const look_every_ms = 1000
const rounds_max = 4
const lanes_few = 16
const lanes_many = 256

export function openClaimer(deps: ClaimerDeps): Claimer {
  const { db, now, runningCounts } = deps
  const finder = openLaneFinder()
  const lanes = openLanes()
  const rests = openRests()
  let woken = true
  let around = true
  let looked_ms = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | undefined

  const look = async () => {
    const types = deps.types()
    const began_ms = now()
    woken = false
    const seen = types.length > 0 ? await finder.find(db, types) : { lanes: [], around: true }
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
  /** Undefined if the claim needs no lane. */
  const round = async (worker: Worker, free: number): Promise<Taken[] | undefined> => {
    const looked = lookIfDue()
    if (lanes.all().length === 0) await looked
    else looked?.catch(() => {})
    const known = lanes.all()
    if (known.length === 0) return undefined
    await runningCounts.refresh(db, [...new Set(known.map(one => one.tenant_id))])
    const asked = askLanes(known, free, deps)
    if (asked.length === 0) return undefined
    const taken = await claimAlone(db, deps.keys, worker, asked)
    learn(deps, asked, taken).forEach((found, at) => {
      const lane = asked[at]?.lane
      if (!lane) return
      lanes.found(lane, found)
      // If some lanes are not known yet, a lane that was served waits until the others were served.
      if (!around) lanes.leave(lane)
    })
    return taken
  }
  return {
    woken: () => {
      woken = true
      lanes.reopen()
    },
    claim: async (worker, free) => {
      for (let rounds = 0; rounds < rounds_max; rounds++) {
        const taken = await round(worker, free)
        // The jobs that were found start immediately. The next call finds the rest.
        if (taken && taken.length > 0) return taken
        if (!taken && (around || lanes.all().length > 0)) break
      }
      return []
    },
  }
}

function isSame(one: TypeVersion, other: TypeVersion): boolean {
  return one.type === other.type && one.schema_version === other.schema_version
}
