/**
 * Many logins at once wait in a bounded queue: beyond it 503 at once, and other requests are served
 * meanwhile. Two hundred logins cost as many hashes at a time as there are cores, no more.
 */
import { availableParallelism } from 'node:os'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { openProductWorld, password } from '../../../../test/product-world.ts'
import { startProcess } from '../../../../test/process.ts'
import { call, eventually } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'

const waiting_max = 50
const logins_count = 200
const world = await openProductWorld({
  IDENTITY_HASH_QUEUE: String(waiting_max),
  IDENTITY_HASH_WAIT_MS: '30000',
})
// As dear as hashes ever get: the wave lasts for seconds.
await world.platform.kernel.db.run(sql`
  update identity.settings set value = ${sql.json({ m: 19_456, t: 6, p: 1 })}
  where name = 'password_cost'`)
afterAll(() => world.close())

async function residentMegabytes(pid: number | undefined): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])
  return Number(stdout) / 1024
}

async function hashesOf(url: string): Promise<number> {
  const { text } = await call(url, 'GET', '/metrics')
  return Number(/^auth_hashes_total (\d+)/m.exec(text)?.[1] ?? 0)
}

test('other requests are served while two hundred logins wait, and logins beyond the queue get 503 at once', async () => {
  const one = await startProcess({ ...world.environment, ROLES: 'api' }, 'product')
  const before = await residentMegabytes(one.child.pid)
  const order: string[] = []
  const hashed = await hashesOf(one.url)
  const logins = Array.from({ length: logins_count }, async (_, n) => {
    const body = { email: `wave-${n}@example.test`, password }
    const { status, headers } = await call(one.url, 'POST', '/v1/sessions', { body })
    order.push(String(status))
    return { status, retry_after: Number(headers.get('retry-after')) }
  })
  await eventually('the queue is full', () => order.includes('503'))
  const well = await call(one.url, 'GET', '/healthz')
  order.push('well')
  expect(well.status).toBe(200)
  let most = 0
  const ended = Promise.all(logins)
  let over = false
  void ended.then(() => (over = true))
  while (!over) {
    most = Math.max(most, await residentMegabytes(one.child.pid))
    expect((await call(one.url, 'GET', '/healthz')).status).toBe(200)
  }
  const answers = await ended
  const refused = answers.filter(({ status }) => status === 503)
  const width = availableParallelism()
  expect(answers.filter(({ status }) => ![401, 503].includes(status))).toEqual([])
  expect(refused.length).toBeGreaterThan(0)
  // Those that are hashed leave room for others, so at most the rest was refused.
  expect(refused.length).toBeLessThanOrEqual(logins_count - waiting_max - width)
  for (const { retry_after } of refused) expect(retry_after).toBeGreaterThan(0)
  expect((await hashesOf(one.url)) - hashed).toBe(logins_count - refused.length)
  // Logins were still waiting when the question, which came after all of them, was answered.
  expect(order.slice(order.indexOf('well'))).toContain('401')
  // A hash fills 19 MB: two hundred at a time would need 3,800.
  expect(most - before).toBeLessThan(width * 19 + 400)
  await one.kill()
})
