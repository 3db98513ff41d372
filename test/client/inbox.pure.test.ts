/** The stream of the inbox while there is no network, and the wait for the next attempt. */
import { expect, test } from 'vitest'
import { notificationsOf } from '../../client/src/notifications.ts'
import { pause } from '../../client/src/pause.ts'

const day_ms = 86_400_000

test('an abort ends a wait at once, with its reason', async () => {
  const stop = new AbortController()
  const waits = pause(day_ms, stop.signal)
  stop.abort(new Error('enough'))
  await expect(waits).rejects.toThrow('enough')
  await expect(pause(day_ms, stop.signal)).rejects.toThrow('enough')
})

test('an abort ends the stream while it waits for the next connection', async () => {
  const stop = new AbortController()
  const failed = Promise.withResolvers<undefined>()
  const open = () => {
    failed.resolve(undefined)
    return Promise.reject(new Error('there is no network'))
  }
  const inbox = notificationsOf(open, () => false).inbox({ signal: stop.signal })
  const next = inbox.next()
  await failed.promise
  await turn()
  stop.abort()
  // No timer is needed for it.
  expect(await Promise.race([next, turn()])).toEqual({ done: true, value: undefined })
})

/** Everything that waits for no timer and no network has run then. */
function turn(): Promise<string> {
  return new Promise(resolve => {
    setImmediate(() => resolve('it waits'))
  })
}
