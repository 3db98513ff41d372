/** The stream of the inbox while there is no network. */
import { afterEach, expect, test, vi } from 'vitest'
import { notificationsOf } from '../../client/src/notifications.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('an abort ends the wait for the next connection at once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const stop = new AbortController()
  const failed = Promise.withResolvers<void>()
  const open = () => {
    failed.resolve()
    return Promise.reject(new Error('there is no network'))
  }
  const inbox = notificationsOf(open, () => false).inbox({ signal: stop.signal })
  const next = inbox.next()
  await failed.promise
  // The timer of the wait is set soon after the failure, and never fires in this test.
  while (vi.getTimerCount() === 0) await new Promise(resolve => setImmediate(resolve))
  stop.abort()
  expect(await next).toEqual({ done: true, value: undefined })
  expect(vi.getTimerCount()).toBe(0)
})
