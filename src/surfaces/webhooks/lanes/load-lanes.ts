/** Lanes and the values of their subscriptions, as rows. Only lanes that may send are loaded. */
import { type Static, Type } from 'typebox'
import { columnsOf, Id, nullable, parseTime, sql, Time } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { readSecrets, type LiveSecret } from '../sending/live-secrets.ts'
import { Lane, type LaneConfig, type LaneRecord } from './lane.ts'

const Config = Type.Object({
  id: Id,
  tenant_id: Id,
  shard: Type.Integer(),
  version: Type.Integer(),
  endpoint: Type.String(),
  max_in_flight: Type.Integer(),
  rate_per_second: nullable(Type.Integer()),
  verified_at: nullable(Time),
  owner_id: Id,
  session_id: nullable(Id),
  event_filter: Type.Array(Type.String()),
})

const LaneState = Type.Object({
  breaker: Type.Union([Type.Literal('closed'), Type.Literal('open'), Type.Literal('half_open')]),
  consecutive_failures: Type.Integer(),
  open_ms: Type.Integer(),
  open_until: nullable(Time),
  not_before: nullable(Time),
  ewma_ms: nullable(Type.Integer()),
  last_success_at: nullable(Time),
  failing_since: nullable(Time),
  failures: Type.Integer(),
  degraded_at: nullable(Time),
})
const Row = Type.Object({ ...Config.properties, ...LaneState.properties })

export async function loadLanes(
  deps: Pick<Deps, 'kernel' | 'secrets'>,
  ids: readonly string[],
): Promise<Lane[]> {
  const { db } = deps.kernel
  const rows = await db.many(
    Row,
    sql`
      -- any tenant: a sender owns endpoints of all of them
      select ${columnsOf(Config, 's')}, ${columnsOf(LaneState, 'l')}
      from webhooks.subscriptions s
      join webhooks.delivery_lanes l on l.subscription_id = s.id
      where s.id = any (${ids}::uuid[]) and s.state in ('active', 'paused')`,
  )
  const secrets = await readSecrets(
    db,
    deps,
    rows.map(row => row.id),
  )
  return rows.map(row => new Lane(row, configOf(row, secrets.get(row.id)), recordOf(row)))
}

/** The current values of the subscriptions of these lanes. */
export async function reloadConfigs(
  deps: Pick<Deps, 'kernel' | 'secrets'>,
  lanes: readonly Lane[],
): Promise<void> {
  const { db } = deps.kernel
  const ids = lanes.map(one => one.id)
  const rows = await db.many(
    Config,
    sql`
      -- any tenant: a sender owns endpoints of all of them
      select ${columnsOf(Config, null)} from webhooks.subscriptions where id = any (${ids}::uuid[])`,
  )
  const secrets = await readSecrets(db, deps, ids)
  for (const row of rows) {
    const lane = lanes.find(one => one.id === row.id)
    lane?.reconfigure(configOf(row, secrets.get(row.id)))
  }
}

const Changed = Type.Object({ id: Id })

/** The lanes whose subscription has changed since they were read. */
export async function findChanged(
  { kernel: { db } }: Pick<Deps, 'kernel'>,
  lanes: readonly Lane[],
): Promise<Lane[]> {
  const rows = await db.many(
    Changed,
    sql`
      -- any tenant: a sender owns endpoints of all of them
      select s.id from unnest(${lanes.map(one => one.id)}::uuid[],
        ${lanes.map(one => one.config.version)}::bigint[]) as known (id, version)
      join webhooks.subscriptions s on s.id = known.id
      where s.version <> known.version`,
  )
  const ids = new Set(rows.map(row => row.id))
  return lanes.filter(one => ids.has(one.id))
}

function configOf(row: Static<typeof Config>, secrets: readonly LiveSecret[] = []): LaneConfig {
  const { version, endpoint, max_in_flight, rate_per_second, verified_at } = row
  const { owner_id, session_id, event_filter } = row
  return {
    version,
    endpoint,
    max_in_flight,
    rate_per_second,
    verified_at,
    owner_id,
    session_id,
    event_filter,
    secrets,
  }
}

function recordOf(row: Static<typeof LaneState>): LaneRecord {
  const ms = (time: string | null) => (time === null ? null : parseTime(time))
  return {
    breaker: {
      state: row.breaker,
      consecutive: row.consecutive_failures,
      open_ms: row.open_ms,
      open_until_ms: ms(row.open_until) ?? 0,
      window: [],
    },
    not_before_ms: ms(row.not_before) ?? 0,
    ewma_ms: row.ewma_ms,
    last_success_ms: ms(row.last_success_at),
    failing_since_ms: ms(row.failing_since),
    failures: row.failures,
    degraded: row.degraded_at !== null,
  }
}
