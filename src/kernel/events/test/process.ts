/** A whole event foundation for a test, and the few words in which the tests speak to it. */
import { Type } from 'typebox'
import { openDb, type Db } from '../../database/db.ts'
import type { EventDraft } from '../../database/drafts.ts'
import { directClient } from '../../database/direct.ts'
import { sql } from '../../database/sql.ts'
import { openFaults, type Faults } from '../../faults.ts'
import { newId } from '../../ids.ts'
import { openPulse } from '../../work/pulse.ts'
import { openSleepers } from '../../work/topics.ts'
import { openLog, type Log } from '../../observability/log.ts'
import { openMetrics } from '../../observability/metrics.ts'
import type { Consumer, EventDeclaration } from '../../surface.ts'
import type { Listener } from '../consumers/listener.ts'
import { openEventTypes } from '../event-types.ts'
import { openEvents, type Events } from '../open.ts'
import { openOutbox } from '../log/outbox.ts'

export const tenant_id = newId()

export const declared = new Map<string, EventDeclaration>([
  ['thing.changed', { version: 1, data: Type.Object({ n: Type.Integer() }) }],
  ['thing.removed', { version: 1, data: Type.Object({ n: Type.Integer() }) }],
])

export type World = { db: Db; events: Events; faults: Faults; log: Log; stop(): Promise<void> }

export type WorldOptions = {
  url: string
  consumers?: readonly Consumer[]
  sinks?: readonly Listener[]
  work?: boolean
  pool?: number
  park_schedule?: readonly number[]
  check_rows?: boolean
  declared?: ReadonlyMap<string, EventDeclaration>
  faults?: string
  log_level?: string
}

export function openWorld(options: WorldOptions): World {
  const known = options.declared ?? declared
  const faults = openFaults(options.faults ?? '')
  const log = openLog({ level: options.log_level ?? 'silent', readable: false })
  const pool = options.pool ?? 10
  const tied: { events?: Events } = {}
  const db = openDb({
    url: options.url,
    pool,
    wait_ms: 5000,
    check_rows: options.check_rows ?? true,
    application_name: 'dodeca-test',
    outbox: openOutbox(known),
    committed: () => tied.events?.committed(),
    woken: topics => tied.events?.wake(topics),
    waited: () => {},
    lost: () => {},
  })
  const sleepers = openSleepers()
  const pulse = openPulse({ db, log, sleepers })
  const opened = openEvents({
    sleepers,
    pulse,
    db,
    direct_url: options.url,
    application_name: 'dodeca-test',
    consumers: options.consumers ?? [],
    sinks: options.sinks ?? [],
    types: openEventTypes(known),
    settings: {
      'kernel.database_pool': pool,
      'kernel.park_schedule': options.park_schedule ?? [1, 5, 30, 120, 600],
      'kernel.events_retention_days': 30,
      'kernel.inbox_retention_days': 35,
    },
    log,
    metrics: openMetrics(),
    fault: faults.fault,
    work: options.work ?? true,
  })
  const events: Events = {
    ...opened,
    start: async () => {
      await opened.start()
      pulse.start()
    },
  }
  tied.events = events
  return {
    db,
    events,
    faults,
    log,
    stop: async () => {
      await pulse.stop()
      await events.stop()
      await db.close()
    },
  }
}

/** The tests of lists over HTTP have real ones. */
export function changed(aggregate_id: string, n: number, type = 'thing.changed'): EventDraft {
  const data = { n }
  return { type, tenant_id, aggregate_type: 'thing', aggregate_id, aggregate_version: n, data }
}

export async function emit(db: Db, ...events: EventDraft[]): Promise<void> {
  await db.tx(async tx => {
    for (const event of events) tx.emit(event)
  })
}

/** Waits for a condition that must come true; the bound only ends a test that failed. */
export async function eventually<T>(
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  bound_ms = 150_000,
): Promise<T> {
  const began = performance.now()
  for (;;) {
    const found = await ask()
    if (found !== undefined && found !== false) return found
    if (performance.now() - began > bound_ms)
      throw new Error(`not within ${bound_ms} ms: ${String(ask)}`)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

const Count = Type.Object({ count: Type.Integer() })

export async function count(db: Db, statement: ReturnType<typeof sql>): Promise<number> {
  return (await db.one(Count, sql`select count(*) as count ${statement}`)).count
}

/**
 * From here on nothing but the test itself vacuums or analyzes the kernel's tables of this database:
 * neither their statistics nor their dead rows depend on when the server finds the time.
 */
export async function stopAutovacuum(url: string): Promise<void> {
  const client = directClient(url, 'test')
  await client.connect()
  await client.query(`
    do $$
    declare found regclass;
    begin
      for found in
        select oid from pg_class where relnamespace = 'kernel'::regnamespace and relkind = 'r'
      loop
        execute format('alter table %s set (autovacuum_enabled = false)', found);
      end loop;
    end $$`)
  await client.end()
}
