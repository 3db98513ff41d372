/** Background responses: their end, their webhooks, and what survives a restart. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { failure, openSdkWorld, type SdkWorld } from './sdk-world.ts'

let world: SdkWorld
let client: OpenAI
beforeAll(async () => {
  world = await openSdkWorld()
  client = world.client()
})
afterAll(() => world.close())

const model = 'sandbox-large'

describe('background responses', () => {
  test('end by themselves, once, with a webhook that the SDK verifies', async () => {
    const received: { headers: Record<string, unknown>; body: string }[] = []
    const receiver = createServer((request, response) => {
      let body = ''
      request.on('data', chunk => (body += String(chunk)))
      request.on('end', () => {
        received.push({ headers: request.headers, body })
        // The first attempt of the first message is refused, and made again.
        response.writeHead(received.length === 1 ? 500 : 200).end()
      })
    })
    await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
    const { port } = receiver.address() as AddressInfo
    const webhook_url = `http://127.0.0.1:${port}/hooks`
    await world.control('config', { webhook_url, backoff_ms: [10, 10] })
    const { id, status } = await client.responses.create({ model, input: 'x', background: true })
    expect(status).toBe('queued')
    await expect.poll(async () => (await client.responses.retrieve(id)).status).toBe('completed')
    await expect.poll(() => received.length).toBe(2)
    const verify = (one: (typeof received)[number] | undefined) =>
      client.webhooks.unwrap(
        one?.body ?? '',
        one?.headers as never,
        world.address('webhook_secret'),
      )
    const event = await verify(received[1])
    expect(event).toMatchObject({ type: 'response.completed', data: { id } })
    expect(received[0]?.headers['webhook-id']).toBe(received[1]?.headers['webhook-id'])

    const { statuses } = await world.control('webhooks', { response_id: id, duplicate: 3 })
    expect(statuses).toEqual([200, 200, 200])
    await world.control('webhooks', { response_id: id, tamper: true })
    await expect(verify(received.at(-1))).rejects.toThrow(/signature/i)
    await world.control('webhooks', { response_id: id, old_timestamp: true })
    await expect(verify(received.at(-1))).rejects.toThrow(/timestamp/i)
    await world.control('config', { webhook_url: null })
    await new Promise(resolve => receiver.close(resolve))
  })

  test('are cancelled, and deleted', async () => {
    const asked = { model, input: '[[sandbox background_ms=60000]]', background: true }
    const { id } = await client.responses.create(asked)
    expect((await client.responses.cancel(id)).status).toBe('cancelled')
    expect((await client.responses.cancel(id)).status).toBe('cancelled')
    await client.responses.delete(id)
    expect((await failure(client.responses.retrieve(id))).status).toBe(404)
    const refused = await failure(client.responses.create({ ...asked, store: false }))
    expect(refused.status).toBe(400)
  })

  test('outlive the process', async () => {
    const asked = { model, input: '[[sandbox background_ms=300]]', background: true }
    const { id } = await client.responses.create(asked)
    await world.restart()
    client = world.client()
    await expect.poll(async () => (await client.responses.retrieve(id)).status).toBe('completed')
  })
})
