/**
 * Ends slow bodies. A body that stops or is very slow holds a slot that others wait for. It fails
 * with `request_timeout` after this long without a byte, or with less than 8 KiB a second on
 * average after ten seconds.
 */
import { problem } from '../errors.ts'

const floor_bytes_per_second = 8 * 1024
const grace_ms = 10_000

export async function* guardPace(
  body: AsyncIterable<Buffer>,
  idle_ms: number,
): AsyncGenerator<Buffer> {
  const begun = performance.now()
  const pieces = body[Symbol.asyncIterator]()
  let received = 0
  let idle: (() => void) | undefined
  let last = begun
  const timer = setInterval(
    () => {
      const now = performance.now()
      const slow =
        now - begun > grace_ms && received / (now - begun) < floor_bytes_per_second / 1000
      if (slow || now - last > idle_ms) idle?.()
    },
    Math.min(1000, idle_ms),
  ).unref()
  try {
    for (;;) {
      const waited = Promise.withResolvers<'idle'>()
      idle = () => waited.resolve('idle')
      const next = pieces.next()
      // After the deadline nothing awaits this promise, and it may still fail.
      next.catch(() => {})
      const found = await Promise.race([next, waited.promise])
      if (found === 'idle') throw problem('request_timeout')
      if (found.done === true) return
      received += found.value.length
      last = performance.now()
      yield found.value
    }
  } finally {
    clearInterval(timer)
    void pieces.return?.().catch(() => {})
  }
}
