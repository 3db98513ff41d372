/**
 * Sends the reminder of a note at its time. The row is the queue. The vendor recognizes a message
 * by its id, so a reminder that was sent before a crash is not sent twice. A deleted note gets no
 * reminder.
 */
import { Type } from 'typebox'
import { dead, done, dueAt, dueQueue, Id, retry, sql, Version } from '#dodeca/kernel'
import type { DueQueue, Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'

const queue_name = 'notes.reminders'
const Reminder = Type.Object({ tenant_id: Id, note_id: Id, title: Type.String() })
const Reminded = Type.Object({ version: Version })

/** In the transaction that writes the note. */
export async function setReminder(
  tx: Tx,
  { tenant_id, id, remind_at }: { tenant_id: string; id: string; remind_at: string },
): Promise<void> {
  await tx.run(sql`
    insert into notes.reminders (tenant_id, note_id, due_at)
    values (${tenant_id}, ${id}, ${remind_at}::timestamptz)
    on conflict (tenant_id, note_id) do update set ${dueAt(sql`excluded.due_at`)}`)
  tx.wake(queue_name)
}

export function reminderQueue({ vendor_url }: Pick<Deps, 'vendor_url'>): DueQueue {
  return dueQueue({
    name: queue_name,
    table: queue_name,
    key: ['tenant_id', 'note_id'],
    row: Reminder,
    load: sql`(select n.title from notes.notes n
      where n.tenant_id = t.tenant_id and n.id = t.note_id) as title`,
    batch: 20,
    concurrency: 5,
    lease_seconds: 2,
    retry: [1, 5, 30, 300],
    run: async ({ note_id, title }, signal) => {
      const response = await fetch(`${vendor_url}/messages/${note_id}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text: title }),
        signal,
      })
      await response.body?.cancel()
      if (response.ok) return done()
      return response.status === 429 ? retry('vendor_busy') : dead('vendor_refused')
    },
    finish: async (tx, { tenant_id, note_id }, outcome) => {
      if (outcome.end !== 'done') return
      await tx.run(sql`
        delete from notes.reminders where tenant_id = ${tenant_id} and note_id = ${note_id}`)
      const note = await tx.maybe(
        Reminded,
        sql`
          update notes.notes set version = version + 1
          where tenant_id = ${tenant_id} and id = ${note_id} and deleted_at is null
          returning version`,
      )
      if (!note) return
      tx.emit({
        type: 'note.reminded',
        tenant_id,
        aggregate_type: 'note',
        aggregate_id: note_id,
        aggregate_version: note.version,
        data: { note_id },
      })
    },
  })
}
