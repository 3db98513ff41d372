/** Waits so long for an answer of payments; one that comes later is learnt by the queue. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Told } from './ask-payments.ts'

export async function within<T extends Told>(wait_ms: number, asked: Promise<T>) {
  const timer = new AbortController()
  const late = wait(wait_ms, { kind: 'later', code: 'slow' } as const, { signal: timer.signal })
  late.catch(() => {})
  // Nobody waits for it any more when it fails after that.
  asked.catch(() => {})
  try {
    return await Promise.race([asked, late])
  } finally {
    timer.abort()
  }
}
