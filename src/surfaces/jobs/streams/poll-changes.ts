/**
 * Finds out when a watched job has changed. One statement a second reads the jobs of all watchers,
 * and one more runs at each wake-up. A watcher is only told that there is something to read.
 */
import { Type } from 'typebox'
import { logFailure } from '../../../kernel/database/log-failure.ts'
import type { Db } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import type { Kernel } from '../settings.ts'
import type { JobKey } from '../face.ts'

export type Lookout = {
  /**
   * Resolves with true once the job's sequence has changed or the job is deleted, and with false
   * when aborted.
   */
  moved(job: JobKey, sequence: number, signal: AbortSignal): Promise<boolean>
  close(): void
}

const every_ms = 1000
const Row = Type.Object({ id: Type.String(), last_sequence: Type.Integer() })

type Waiting = JobKey & { readonly sequence: number; tell(moved: boolean): void }

export function openLookout({ db, log, onWake }: Pick<Kernel, 'db' | 'log' | 'onWake'>): Lookout {
  const all = new Set<Waiting>()
  let looking = false
  let again = false
  let timer: NodeJS.Timeout | undefined
  const look = async () => {
    again = looking
    if (looking) return
    looking = true
    try {
      do {
        again = false
        await notifyMoved(db, [...all])
      } while (again)
    } catch (error) {
      logFailure(log, { err: error }, 'watched jobs could not be looked at; it is tried again')
    } finally {
      looking = false
    }
  }
  const wake = () => void (all.size > 0 && look())
  const deaf = onWake(wake)
  const stop = () => {
    clearInterval(timer)
    timer = undefined
  }
  return {
    moved: async (job, sequence, signal) => {
      if (signal.aborted) return false
      const done = Promise.withResolvers<boolean>()
      const waiting: Waiting = { ...job, sequence, tell: done.resolve }
      const left = () => done.resolve(false)
      all.add(waiting)
      timer ??= setInterval(wake, every_ms)
      signal.addEventListener('abort', left, { once: true })
      try {
        return await done.promise
      } finally {
        signal.removeEventListener('abort', left)
        all.delete(waiting)
        if (all.size === 0) stop()
      }
    },
    close: () => {
      deaf()
      stop()
      for (const waiting of all) waiting.tell(false)
    },
  }
}

async function notifyMoved(db: Db, waiting: readonly Waiting[]): Promise<void> {
  if (waiting.length === 0) return
  const rows = await db.many(
    Row,
    sql`
    select j.id, j.last_sequence
    from unnest(
      ${waiting.map(one => one.tenant_id)}::uuid[], ${waiting.map(one => one.job_id)}::uuid[]
    ) w (tenant_id, id)
    join jobs.jobs j on j.tenant_id = w.tenant_id and j.id = w.id`,
  )
  const now = new Map(rows.map(row => [row.id, row.last_sequence]))
  for (const one of waiting) if (now.get(one.job_id) !== one.sequence) one.tell(true)
}
