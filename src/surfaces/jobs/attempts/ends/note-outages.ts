/**
 * Detects outages of the platform. A process writes a row every few seconds. If the row is older
 * than that, no process could reach the database meanwhile, and no lease could be renewed. The
 * sweep checks this before it takes expired leases, so that it knows about an outage before it ends
 * their attempts.
 */
import { sql, type Db, type Loop } from '#dodeca/kernel'

const beat_every_ms = 5000
/** Two missing heartbeats mean an outage. A single missing heartbeat may only be late. */
const outage_seconds = 12
/** A job that crashes the platform itself must not get free retries forever. */
const forgiven_max = 10
export const outage_code = 'platform_outage'

export async function beat({ run }: Pick<Db, 'run'>): Promise<void> {
  await run(sql`
    with last as materialized (
      select beat_at from jobs.last_beat
      where one and beat_at < now() - make_interval(secs => ${beat_every_ms / 1000 - 1})
      for update
    ),
    noted as (
      insert into jobs.outages (began_at, ended_at)
      select beat_at, now() from last
      where beat_at < now() - make_interval(secs => ${outage_seconds})
      on conflict do nothing
    )
    update jobs.last_beat b set beat_at = now() from last where b.one`)
}

export function beatLoop(db: Pick<Db, 'run'>): Loop {
  return { name: 'jobs.beat', every_ms: beat_every_ms, run: () => beat(db) }
}

/**
 * For an expired attempt `a`: an outage overlaps the time in which its lease should have been
 * renewed.
 */
export const lapsedInOutage = sql`
  -- any tenant: an outage is that of the platform
  exists (select from jobs.outages o
    where o.began_at < a.leased_until
      and o.ended_at > a.heartbeat_at + make_interval(secs => a.lease_seconds / 3.0))
  and (select count(*) from jobs.job_attempts x
    where x.tenant_id = a.tenant_id and x.job_id = a.job_id
      and x.error_code = ${outage_code}) < ${forgiven_max}`
