/**
 * Holds a tenant: no process, of any release, can write its rows. First the processes learn that it
 * is frozen and refuse its requests that write, within a second. Then its events are processed to
 * the end, and triggers on all tables with its rows refuse what is left: requests without a
 * principal, and background work. Creating a trigger waits for the writers of its table, so after
 * the last one no unfinished write exists.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { codeOf, StartError, tenant_states_topic } from '#dodeca/kernel'
import type { DirectClient } from '../../kernel/database/direct.ts'
import type { Interest } from '../../kernel/events/consumers/leases.ts'
import { within, type Place } from './place.ts'
import { quoted, type TenantTable } from './tables.ts'

const lock_timeout_ms = 300
const lock_tries_max = 50
const drain_ms_max = 60_000
const drain_rounds_max = 5
/** Longer than the pulse of a process, which reads the states once a second. */
const known_after_ms = 1500

async function freeze(client: DirectClient, tenant_id: string, reason: string) {
  await client.query(
    `insert into kernel.tenant_states (tenant_id, state, reason) values ($1, 'frozen', $2)
     on conflict (tenant_id) do update
       set state = 'frozen', reason = excluded.reason, cell_url = null, changed_at = now()`,
    [tenant_id, reason],
  )
  await notify(client)
  await pause(known_after_ms)
}

export type TenantState = {
  readonly state: string
  readonly reason: string
  readonly cell_url: string | null
  /** Rows may be gone already. */
  readonly deleting: boolean
}

/** Undefined for a tenant that is served as usual. */
export async function stateOf(
  client: DirectClient,
  tenant_id: string,
): Promise<TenantState | undefined> {
  const { rows } = await client.query<TenantState>(
    `select state, reason, cell_url, receipt is not null as deleting
     from kernel.tenant_states where tenant_id = $1`,
    [tenant_id],
  )
  return rows[0]
}

const arrival = 'arrives at '

/** From now on the tenant may be in the other cell too, so it must not be written here. */
export async function recordArrival(client: DirectClient, tenant_id: string, cell_url: string) {
  await client.query(
    'update kernel.tenant_states set reason = $2, changed_at = now() where tenant_id = $1',
    [tenant_id, arrival + cell_url],
  )
}

export const mayHaveArrived = (reason: string): boolean => reason.startsWith(arrival)

export async function notify(client: DirectClient): Promise<void> {
  await client.query(`select pg_notify('kernel_wake', $1)`, [tenant_states_topic])
}

/** Returns once the tenant is frozen, its events are processed, and nothing can write its rows. */
export async function hold(
  client: DirectClient,
  { interests }: Pick<Place, 'interests'>,
  tenant_id: string,
  tables: readonly TenantTable[],
  reason: string,
): Promise<void> {
  await freeze(client, tenant_id, reason)
  for (let round = 0; round < drain_rounds_max; round++) {
    await drain(client, tenant_id, interests, tables)
    for (const table of held(tables)) await addTriggers(client, table, tenant_id)
    if (!(await hasOpenEvents(client, tenant_id, interests, tables))) return
    // Background work has written an event in between, whose consumers must still write.
    await dropTriggers(client, tables, tenant_id)
  }
  if (!(await stateOf(client, tenant_id))?.deleting) await release(client, tenant_id, tables)
  throw new StartError('Background work of the tenant writes without a pause. Try again later.')
}

/** Ends a hold: the tenant is served as before. */
export async function release(
  client: DirectClient,
  tenant_id: string,
  tables: readonly TenantTable[],
): Promise<void> {
  await dropTriggers(client, tables, tenant_id)
  await client.query('delete from kernel.tenant_states where tenant_id = $1', [tenant_id])
  await notify(client)
}

/** The tables of the event log are written by the sequencer, for all tenants at once. */
function held(tables: readonly TenantTable[]): TenantTable[] {
  return tables.filter(one => one.has_tenant && one.exported !== null && one.kept === null)
}

const triggerName = (tenant_id: string, kind: 'write' | 'delete') =>
  quoted(`hold_${kind}_${tenant_id.replaceAll('-', '')}`)

async function addTriggers(client: DirectClient, table: TenantTable, tenant_id: string) {
  const name = quoted(table.name)
  const call = `for each row when (%.tenant_id = '${tenant_id}'::uuid)
    execute function kernel.hold_tenant('${table.leased ? 'skip' : 'fail'}')`
  await locked(
    client,
    `create or replace trigger ${triggerName(tenant_id, 'write')}
       before insert or update on ${name} ${call.replace('%', 'new')};
     create or replace trigger ${triggerName(tenant_id, 'delete')}
       before delete on ${name} ${call.replace('%', 'old')}`,
  )
}

export async function dropTriggers(
  client: DirectClient,
  tables: readonly TenantTable[],
  tenant_id: string,
): Promise<void> {
  for (const { name } of held(tables)) {
    await locked(
      client,
      `drop trigger if exists ${triggerName(tenant_id, 'write')} on ${quoted(name)};
       drop trigger if exists ${triggerName(tenant_id, 'delete')} on ${quoted(name)}`,
    )
  }
}

async function locked(client: DirectClient, statements: string): Promise<void> {
  await patiently(client, async () => void (await client.query(statements)))
}

/** A transaction that waits only briefly for a lock, because others wait behind it, and repeats. */
export async function patiently<T>(client: DirectClient, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await within(client, `begin; set local lock_timeout = '${lock_timeout_ms}ms'`, work)
    } catch (error) {
      if (attempt === lock_tries_max || !/^(55P03|40P01)$/.test(codeOf(error) ?? '')) throw error
      await pause(lock_timeout_ms)
    }
  }
}

async function drain(
  client: DirectClient,
  tenant_id: string,
  interests: readonly Interest[],
  tables: readonly TenantTable[],
): Promise<void> {
  const deadline = performance.now() + drain_ms_max
  while (await hasOpenEvents(client, tenant_id, interests, tables)) {
    if (performance.now() > deadline) {
      throw new StartError(
        'Not all events of the tenant are processed after a minute. `npx dodeca events consumers` ' +
          'and `npx dodeca events parks` show which; correct that, then try again.',
      )
    }
    await pause(100)
  }
}

/**
 * Events without a position, or that a consumer has not processed yet, or that are parked, or that
 * wait in a queue.
 */
async function hasOpenEvents(
  client: DirectClient,
  tenant_id: string,
  interests: readonly Interest[],
  tables: readonly TenantTable[],
): Promise<boolean> {
  for (const { name } of tables.filter(one => one.drains)) {
    const { rowCount } = await client.query(
      `select from ${quoted(name)} where tenant_id = $1 limit 1`,
      [tenant_id],
    )
    if (rowCount) return true
  }
  const { rows } = await client.query<{ open: boolean }>(
    `
    select exists (select from kernel.outbox_events where tenant_id = $1)
      or exists (
        select from kernel.events e
        join kernel.event_consumers c on c.lane = e.lane
        join unnest($2::text[], $3::text[]) i (consumer, types) on i.consumer = c.consumer
        where e.tenant_id = $1 and c.position < e.position
          and (i.types is null or e.type = any (string_to_array(i.types, ','))))
      or exists (
        select from kernel.event_parks p join kernel.events e on e.id = p.event_id
        where e.tenant_id = $1 and p.state in ('waiting', 'dead')) as open`,
    [
      tenant_id,
      interests.map(one => one.consumer),
      interests.map(one => one.types?.join(',') ?? null),
    ],
  )
  return rows[0]?.open ?? true
}
