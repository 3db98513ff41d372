/**
 * A job as a stream of events until it ends. The ids are the positions in the job's sequence. So a
 * reader that resumes with its last id misses nothing and reads nothing twice. Events are read from
 * the tables only when the reader takes them, so that a slow reader costs no memory.
 */
import type { Db, SseEvent } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { JobKey } from '../face.ts'
import { isTerminal } from '../schemas.ts'
import type { JobWatcher } from './job-watcher.ts'
import { readSince, type Since } from './read-since.ts'

export type Watched = JobKey & {
  /** The last event that the reader has, or null. */
  readonly after: number | null
  readonly signal: AbortSignal
  mayRead(): Promise<boolean>
}

/** After a permission was removed, the stream ends within this time. */
const asked_every_ms = 1000

export async function* watchJob(
  db: Db,
  deps: Pick<Deps, 'kernel' | 'types'>,
  watcher: JobWatcher,
  { after, signal, mayRead, ...key }: Watched,
): AsyncGenerator<SseEvent, void> {
  const life_ms = deps.kernel.settings['jobs.watch_seconds'] * 1000
  const end = AbortSignal.any([signal, AbortSignal.timeout(life_ms)])
  let seen = after
  for (;;) {
    const since = await readSince(db, deps, key, seen)
    if (!since) {
      yield ending('job_not_found')
      return
    }
    yield* eventsOf(since)
    if (isTerminal(since.job.state)) return
    seen = since.sequence
    for (let moved = false; !moved;) {
      const pause = AbortSignal.any([end, AbortSignal.timeout(asked_every_ms)])
      moved = await watcher.changed({ ...key, sequence: seen }, pause)
      const code = end.aborted ? 'watch_expired' : 'permission_denied'
      if (end.aborted || !(await mayRead())) return void (yield ending(code))
    }
  }
}

/**
 * In the order of the sequence, each event with its own position. The end of the job is the last
 * event.
 */
function* eventsOf({ progress, moved_at, job, sequence }: Since): Generator<SseEvent> {
  const over = isTerminal(job.state)
  const place = over ? sequence : moved_at
  const before = place === null ? progress : progress.filter(line => line.sequence < place)
  for (const line of before) yield lineOf(line)
  if (over) yield { event: 'job.done', data: job, id: String(place), terminal: true }
  else if (place !== null) yield { event: 'job.state', data: job, id: String(place) }
  for (const line of progress.slice(before.length)) yield lineOf(line)
}

function lineOf(line: Since['progress'][number]): SseEvent {
  return { event: 'job.progress', data: line, id: String(line.sequence) }
}

/** Sent without an id, so that the reader can resume with the id of the last event that it has. */
function ending(code: string): SseEvent {
  return { event: 'error', data: { code }, terminal: true }
}
