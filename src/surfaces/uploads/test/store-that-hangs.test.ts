/** An object store that accepts connections and never answers: what waits for it holds nothing else. */
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openUploadWorld, type UploadWorld } from './upload-world.ts'

let world: UploadWorld
const asked: Socket[] = []
let knocked: () => void = () => {}
let is_gone = false
const store = createServer(socket => {
  socket.on('error', () => {})
  if (is_gone) return void socket.destroy()
  asked.push(socket)
  knocked()
})

beforeAll(async () => {
  store.listen(0, '127.0.0.1')
  await once(store, 'listening')
  world = await openUploadWorld({
    KERNEL_DATABASE_POOL: '4',
    KERNEL_OBJECTS_ENGINE: 's3',
    KERNEL_OBJECTS_S3_ENDPOINT: `http://127.0.0.1:${(store.address() as AddressInfo).port}`,
    KERNEL_OBJECTS_S3_BUCKET: 'hangs',
    KERNEL_OBJECTS_S3_REGION: 'us-east-1',
    KERNEL_OBJECTS_S3_ACCESS_KEY: 'key',
    KERNEL_OBJECTS_S3_SECRET_KEY: 'secret',
  })
})
afterAll(async () => {
  for (const socket of asked) socket.destroy()
  store.close()
  await world.close()
})

test('more uploads that begin than there are connections leave the others usable', async () => {
  const who = await world.member()
  // They wait together for one answer: whether this is the store of the database.
  const waits = new Promise<void>(resolve => {
    knocked = resolve
  })
  const begun = Array.from({ length: 12 }, () => world.begin(who, randomBytes(10)))
  await waits
  const list = await world.call('GET', '/v1/files', { token: who.token })
  expect([list.status, list.body.data]).toEqual([200, []])
  is_gone = true
  for (const socket of asked) socket.destroy()
  for (const answer of await Promise.all(begun)) {
    expect([answer.status, answer.body.code]).toEqual([503, 'storage_unavailable'])
  }
  expect(world.platform.kernel.db.load().waiting).toBe(0)
})
