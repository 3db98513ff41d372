/** Messages of many conversations while the database cannot be reached. */
import { createServer } from 'node:net'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { openDb } from '../../../kernel/database/db.ts'
import { isUnavailable, newId } from '#dodeca/kernel'
import type { AppendDeps, Draft } from '../messages/append-messages.ts'
import { Batcher } from '../messages/batcher.ts'

/** Nothing listens at this port any more. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

function draft(): Draft {
  return {
    tenant_id: newId(),
    conversation_id: newId(),
    sender_id: newId(),
    message_id: newId(),
    event_id: newId(),
    client_request_id: newId(),
    fingerprint: Buffer.alloc(32),
    body: 'hello',
    attachment_ids: [],
    reply_to_sequence: null,
  }
}

test('fail together, and do not wait for it one after the other', async () => {
  const db = openDb({
    url: `postgres://nobody@127.0.0.1:${await closedPort()}/none`,
    pool: 2,
    wait_ms: 5000,
    check_rows: true,
    application_name: 'test',
    outbox: () => [],
    committed: () => {},
    waited: () => {},
    lost: () => {},
  })
  let asked = 0
  const many: typeof db.many = async (row, statement) => {
    asked++
    return await db.many(row, statement)
  }
  const deps = { kernel: { db: { ...db, many } }, live: { placeOf: () => undefined } }
  const batcher = new Batcher(deps as unknown as AppendDeps, () => {})
  const sent = await Promise.allSettled(Array.from({ length: 40 }, () => batcher.send(draft())))
  await db.close()
  expect(sent.every(one => one.status === 'rejected' && isUnavailable(one.reason))).toBe(true)
  // Two batches of one message and one of the others: each as a whole, and then its first message.
  expect(asked).toBeLessThanOrEqual(9)
})
