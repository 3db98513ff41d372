/** Readers that read nothing: what waits for them is bounded, the provider is not read any further, and they end. */
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { newId } from '../../../kernel/ids.ts'
import { waitingUnits } from '../operations/pipe.ts'
import { openInferenceWorld, type InferenceWorld, type Someone } from './inference-world.ts'

const readers = 10
const delta = 'x '.repeat(16 * 1024)
/** More than the buffers of two sockets. */
const deltas = 512

let world: InferenceWorld
beforeAll(async () => {
  world = await openInferenceWorld({ KERNEL_SSE_STALL_SECONDS: '5' })
})
afterAll(() => world.close())

function askWithoutReading(one: Someone, input: string): Socket {
  const { hostname, port } = new URL(world.url)
  const body = JSON.stringify({ model: 'default', input })
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.pause()
  socket.write(
    [
      'POST /v1/inferences:stream HTTP/1.1',
      'host: dodeca.test',
      `authorization: Bearer ${one.token}`,
      'accept: text/event-stream',
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  )
  return socket
}

test('slow readers hold a bounded number of characters, and are dropped', async () => {
  const one = await world.someone()
  const prompt = `prompt ${newId()}`
  await world.fault({
    action: 'say',
    deltas: Array.from({ length: deltas }, () => delta),
    match: { prompt_contains: prompt },
    times: readers,
  })
  const sockets = Array.from({ length: readers }, () => askWithoutReading(one, prompt))
  let most = 0
  const look = setInterval(() => (most = Math.max(most, waitingUnits())), 5)
  await eventually('all writers wait', () => waitingUnits() > readers * 128 * 1024, 60_000)
  await eventually('all are dropped', async () => (await world.held(one.tenant.id)) === 0, 60_000)
  clearInterval(look)
  for (const socket of sockets) socket.destroy()
  expect(most).toBeLessThan(readers * 256 * 1024)
  expect(waitingUnits()).toBe(0)
  const { body } = await one.ask('GET', '/v1/usage')
  expect(body.data).toMatchObject([{ requests: readers }])
  const calls = await world.journal()
  const mine = calls.filter(seen => JSON.stringify(seen.body).includes(prompt))
  expect(mine).toHaveLength(readers)
  for (const { aborted_at_ms } of mine) expect(aborted_at_ms).not.toBeNull()
}, 120_000)
