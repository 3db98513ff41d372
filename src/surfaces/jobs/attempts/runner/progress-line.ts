/**
 * Limits how often a handler's progress becomes a row: at most twice a second. The last report is
 * always written. A step with a checkpoint is written immediately, because its handler relies on
 * it.
 */
import type { JobStep } from '#dodeca/kernel'

export type ProgressLine = {
  say(step: JobStep): Promise<void>
  /** Writes the reports that still wait. */
  flush(): Promise<void>
  close(): void
}

const interval_ms = 500

export function openProgressLine(
  write: (step: JobStep) => Promise<void>,
  now: () => number,
  failed: (error: unknown) => void,
): ProgressLine {
  let waiting: JobStep | undefined
  let timer: NodeJS.Timeout | undefined
  let written_ms = Number.NEGATIVE_INFINITY
  /** The reports are written one after the other, so that the last report is written last. */
  let last: Promise<void> = Promise.resolve()

  const put = (step: JobStep): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    waiting = undefined
    written_ms = now()
    const written = last.then(() => write(step))
    last = written.catch(() => {})
    return written
  }
  const flush = async () => {
    if (waiting) await put(waiting)
    else await last
  }
  return {
    say: async step => {
      const due_ms = written_ms + interval_ms - now()
      if (step.checkpoint !== undefined || due_ms <= 0) return await put(step)
      waiting = step
      timer ??= setTimeout(() => void flush().catch(failed), due_ms)
    },
    flush,
    close: () => clearTimeout(timer),
  }
}
