/**
 * A surface that only emits and consumes events and records two times: the commit of an event, and
 * the start of its consumer.
 */
import { Type } from 'typebox'
import { newId, sql, type Kernel, type Surface, type Tx } from '#dodeca/kernel'
import { newBeats, nowMs, type Beats } from './answer-beats.ts'

/** The mode of the consumer: none, one statement for each event, or failing batches. */
export type Consumption = 'none' | 'batched' | 'single'

export type Face = {
  readonly beats: Beats
  beat(tenant_id: string): Promise<void>
}

export function pulseOf(consuming: Consumption): Surface<Face, Record<never, never>> {
  return {
    name: 'pulse',
    settings: {},
    migrations: new URL('./migrations/', import.meta.url),
    permissions: {},
    errors: {},
    events: { 'pulse.beaten': { version: 1, data: Type.Object({ beat_id: Type.String() }) } },
    open: kernel => open(kernel, consuming),
  }
}

function open(kernel: Kernel, consuming: Consumption) {
  const beats = newBeats()
  const seen = new WeakSet<Tx>()
  const run = async (tx: Tx, event: { id: string; aggregate_id: string; tenant_id: string }) => {
    if (!beats.heard.has(event.aggregate_id)) beats.heard.set(event.aggregate_id, nowMs())
    // The second event of one transaction fails, so the whole batch is handled one by one.
    if (consuming === 'single' && seen.has(tx)) throw new Error('one at a time')
    seen.add(tx)
    await tx.run(sql`
      insert into pulse.heard (tenant_id, beat_id) values (${event.tenant_id}, ${event.aggregate_id})
      on conflict (tenant_id, beat_id) do update set times = pulse.heard.times + 1`)
  }
  return {
    face: {
      beats,
      beat: async (tenant_id: string) => {
        const beat_id = newId()
        await kernel.db.tx(async tx => {
          tx.emit({
            type: 'pulse.beaten',
            tenant_id,
            aggregate_type: 'beat',
            aggregate_id: beat_id,
            aggregate_version: 1,
            data: { beat_id },
          })
        })
        beats.committed.set(beat_id, nowMs())
      },
    },
    routes: [],
    consumers: consuming === 'none' ? [] : [{ name: 'pulse.heard', events: ['pulse.beaten'], run }],
  }
}
