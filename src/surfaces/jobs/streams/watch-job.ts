/**
 * A job as a stream of events until it ends. The ids are the places in the job's one sequence, so a
 * reader that comes back with the last one misses nothing and reads nothing twice. Events are read from
 * the tables when the reader takes them: a slow one holds its place and no memory.
 */
import type { Db } from '../../../kernel/database/db.ts'
import type { SseEvent } from '../../../kernel/http/sse.ts'
import type { Deps } from '../deps.ts'
import type { JobKey } from '../face.ts'
import { isTerminal } from '../schemas.ts'
import type { Lookout } from './poll-changes.ts'
import { readSince, type Since } from './read-since.ts'

export type Watched = JobKey & {
  /** The last event that the reader has, or null. */
  readonly after: number | null
  readonly signal: AbortSignal
}

export async function* watchJob(
  db: Db,
  deps: Pick<Deps, 'kernel' | 'types'>,
  lookout: Lookout,
  { after, signal, ...key }: Watched,
): AsyncGenerator<SseEvent, void> {
  const life_ms = deps.kernel.settings['jobs.watch_seconds'] * 1000
  const end = AbortSignal.any([signal, AbortSignal.timeout(life_ms)])
  let seen = after
  for (;;) {
    const since = await readSince(db, deps, key, seen)
    if (!since) {
      yield ending('job_not_found', seen)
      return
    }
    yield* told(since)
    if (since.over) return
    seen = since.sequence
    await lookout.moved(key, seen, end)
    if (end.aborted) {
      yield ending('watch_expired', seen)
      return
    }
  }
}

/** An end that was seen while more was being written waits until all of that was told. */
function* told({ progress, state_moved, job, sequence, over }: Since): Generator<SseEvent> {
  for (const line of progress) {
    yield { event: 'job.progress', data: line, id: String(line.sequence) }
  }
  const id = String(sequence)
  if (over) yield { event: 'job.done', data: job, id, terminal: true }
  else if (state_moved && !isTerminal(job.state)) yield { event: 'job.state', data: job, id }
}

/** The reader may ask again, with the last event that it has. */
function ending(code: string, seen: number | null): SseEvent {
  return { event: 'error', data: { code }, terminal: true, id: String(seen ?? 0) }
}
