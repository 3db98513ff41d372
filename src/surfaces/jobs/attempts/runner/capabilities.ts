/**
 * Publishes which types this process can run. The view of a waiting job uses this list to show
 * whether any worker could take the job, and the statistics count the workers. A worker that has
 * not reported for a minute is no longer counted.
 */
import { logFailure, openSleeper, sql, type Db, type Log } from '#dodeca/kernel'
import type { TypeVersion } from '../rules.ts'
import type { BuiltIn } from './places.ts'

type Deps = {
  readonly db: Db
  readonly log: Log
  builtIns(): readonly BuiltIn[]
}

const every_ms = 10_000

/** Publishes the list repeatedly until the process stops, and then removes the list. */
export function capabilitiesOf({ db, log, builtIns }: Deps, worker_id: string) {
  const publish = () =>
    announce(
      db,
      worker_id,
      builtIns().map(({ rules }) => rules),
    )
  return {
    announceUntil: async (signal: AbortSignal): Promise<void> => {
      const sleeper = openSleeper()
      signal.addEventListener('abort', sleeper.close)
      while (!signal.aborted) {
        await publish().catch((error: unknown) => {
          logFailure(log, { err: error }, 'what this worker can run was not announced')
        })
        await sleeper.sleepThrough(every_ms)
      }
      await forget(db, worker_id).catch(() => {})
    },
  }
}

async function announce(db: Db, worker_id: string, types: readonly TypeVersion[]): Promise<void> {
  if (types.length === 0) return
  await db.run(sql`
    -- any tenant: this worker serves all of them
    insert into jobs.worker_capabilities (worker_id, capability, version)
    select ${worker_id}::uuid, t.type, t.schema_version
    from unnest(
      ${types.map(one => one.type)}::text[], ${types.map(one => one.schema_version)}::int[]
    ) t (type, schema_version)
    on conflict (worker_id, capability, version) do update set last_seen_at = now()`)
}

/** If it cannot be removed, the sweep of old rows deletes it. */
async function forget(db: Db, worker_id: string): Promise<void> {
  await db.run(sql`
    -- any tenant: this worker served all of them
    delete from jobs.worker_capabilities where worker_id = ${worker_id}`)
}
