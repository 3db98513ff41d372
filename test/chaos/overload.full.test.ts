/**
 * Who is refused when a process is late: many clients that wait because of each other, and never one
 * client that is alone, however busy its machine is. Both with the default of the limit.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  openRetrievalWorld,
  type RetrievalWorld,
} from '../../src/surfaces/retrieval/test/retrieval-world.ts'
import { endsWithFile } from '../children.ts'
import { startProcess, type PlatformProcess } from '../process.ts'
import { call, newKey } from '../world.ts'

const starved_seconds = 10
const usual = { KERNEL_OVERLOAD_DELAY_MS: '250', KERNEL_DATABASE_WAIT_MS: '2000' }

let world: RetrievalWorld
beforeAll(async () => {
  world = await openRetrievalWorld({ ROLES: 'api' })
})
afterAll(() => world.close())

const startPlatform = (settings: Record<string, string>) =>
  startProcess({ ...world.environment, PORT: '0', ...settings }, 'product')

const at_once = 8

/** Clients that send their next requests at once after the replies, also after refusals. */
async function crowd(url: string, token: string, size: number) {
  const { port, host } = new URL(url)
  // Without bodies, so that the process is what is busy and not its clients.
  const head = `HEAD /v1/limits?limit=100 HTTP/1.1\r\nhost: ${host}\r\n`
  const requests = `${head}authorization: Bearer ${token}\r\n\r\n`.repeat(at_once)
  const seen = { served: 0, waits: new Set<string | undefined>() }
  const read = (reply: string) => {
    if (reply.startsWith('HTTP/1.1 200')) seen.served++
    else if (reply.startsWith('HTTP/1.1 503'))
      seen.waits.add(/retry-after: (\d+)/i.exec(reply)?.[1])
    else throw new Error(reply)
  }
  const sockets = await Promise.all(
    Array.from({ length: size }, async () => {
      const socket = connect(Number(port), '127.0.0.1')
      await once(socket, 'connect')
      let rest = ''
      let missing = at_once
      socket.setEncoding('latin1')
      socket.on('error', () => {})
      socket.on('data', (text: string) => {
        const replies = (rest + text).split('\r\n\r\n')
        rest = replies.pop() ?? ''
        replies.forEach(read)
        missing -= replies.length
        if (missing > 0) return
        missing = at_once
        socket.write(requests)
      })
      return socket
    }),
  )
  for (const socket of sockets) socket.write(requests)
  return { seen, leave: () => sockets.forEach(socket => socket.destroy()) }
}

async function processorTicks({ child }: PlatformProcess): Promise<number> {
  const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(fields[11]) + Number(fields[12])
}

test('a crowd is refused in part, what must always answer answers, and as much is served', async () => {
  const { token } = await world.member()
  const measure = async (settings: Record<string, string>) => {
    const platform = await startPlatform({ ROLES: 'api', ...settings })
    const visitors = await crowd(platform.url, token, 600)
    const before = await processorTicks(platform)
    const health = new Set<number>()
    const until = performance.now() + 5000
    while (performance.now() < until)
      health.add((await call(platform.url, 'GET', '/healthz')).status)
    const { served, waits } = visitors.seen
    const ticks = (await processorTicks(platform)) - before
    visitors.leave()
    const { text } = await call(platform.url, 'GET', '/metrics')
    const counted = /^http_requests_refused_total\{reason="overloaded",class="usual"\} (\d+)/m
    await platform.kill('SIGTERM')
    return {
      waits,
      health,
      counted: Number(counted.exec(text)?.[1] ?? 0),
      each: served / ticks,
    }
  }
  const without = await measure({ KERNEL_OVERLOAD_DELAY_MS: '60000' })
  expect(without.counted).toBe(0)
  const shed = await measure(usual)
  expect(shed.counted).toBeGreaterThan(0)
  expect(['1', '2', '3']).toEqual(expect.arrayContaining([...shed.waits]))
  expect(shed.health).toEqual(new Set([200]))
  // By processor time, which other work on the machine does not change.
  expect(shed.each / without.each).toBeGreaterThan(0.7)
})

test('one client with six connections is never refused on a starved machine while documents are read', async () => {
  const member = await world.member()
  const busy = Array.from({ length: 4 }, () =>
    // One process each, so that a kill leaves nothing; it also ends by itself after this processor time.
    endsWithFile(spawn('sh', ['-c', `ulimit -t ${starved_seconds}; while :; do :; done`])),
  )
  const platform = await startPlatform({ ...usual, ROLES: 'api,worker' })
  const answers: string[] = []
  const ask = async (method: string, path: string, body?: object) => {
    const key = method === 'POST' ? { key: newKey() } : {}
    const sent = { token: member.token, ...key, ...(body && { body }) }
    const answer = await call(platform.url, method, path, sent)
    if (answer.status >= 400)
      answers.push(`${method} ${path}: ${answer.status} ${answer.body?.code}`)
    return answer.body
  }
  // The first requests of a new process load what they need.
  const login = { email: member.email, password: member.password, tenant: member.tenant.slug }
  await Promise.all(Array.from({ length: 5 }, () => ask('POST', '/v1/sessions', login)))
  const { id } = await ask('POST', '/v1/collections', { name: 'manuals' })
  const text = 'The budget of the year is approved by the board. '.repeat(2000)
  let asked = 0
  const stop = AbortSignal.timeout(starved_seconds * 1000)
  const repeat = async (act: () => Promise<unknown>) => {
    for (; !stop.aborted; asked++) await act()
  }
  await Promise.all([
    repeat(() => ask('POST', `/v1/collections/${id}/documents`, { text: `${newKey()} ${text}` })),
    repeat(() => ask('POST', '/v1/search', { collection_ids: [id], query: 'budget' })),
    repeat(() => ask('GET', '/v1/limits?limit=100')),
    repeat(() => ask('GET', '/v1/me')),
    repeat(() => ask('GET', `/v1/collections/${id}`)),
    repeat(() => ask('GET', '/problems?limit=100')),
  ])
  for (const one of busy) one.kill('SIGKILL')
  const { text: metrics } = await call(platform.url, 'GET', '/metrics')
  expect(answers).toEqual([])
  expect(metrics).not.toMatch(/^http_requests_refused_total\{/m)
  expect(asked).toBeGreaterThan(20)
  await platform.kill('SIGTERM')
})
