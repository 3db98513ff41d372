/**
 * While the database refuses connections the log has one line, then a number; the process goes on. Where
 * it says nothing at all, requests are refused after the time of a statement.
 */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { startProcess } from '../../../../test/process.ts'
import { eventually, openWorld } from '../../../../test/world.ts'
import { no_database } from '../log-failure.ts'

const world = await openWorld({})
afterAll(() => world.close())

/** A line to the database that can be cut and laid again. */
async function layLine(port = 0) {
  const target = new URL(world.database_url)
  const sockets = new Set<Socket>()
  const lines = new Set<readonly [Socket, Socket]>()
  const server: Server = createServer(client => {
    const upstream = connect(Number(target.port || 5432), target.hostname)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket.on('error', () => {}))
      socket.on('close', () => other.destroy())
    }
    lines.add([client, upstream])
    client.pipe(upstream).pipe(client)
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(world.database_url)
  url.hostname = '127.0.0.1'
  url.searchParams.delete('host')
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.toString(),
    port: Number(url.port),
    /** Nothing passes any more, and no side gets an error: as a broken network. */
    hush: () => {
      server.removeAllListeners('connection')
      server.on('connection', client => void sockets.add(client.on('error', () => {})))
      for (const [client, upstream] of lines) {
        client.unpipe(upstream).resume()
        upstream.unpipe(client).resume()
      }
    },
    cut: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}

test('a refused connection is one line for all loops and requests, and a number after it', async () => {
  const line = await layLine()
  const process = await startProcess({
    ...world.environment,
    DATABASE_URL: line.url,
    LOG_LEVEL: 'info',
    KERNEL_DATABASE_WAIT_MS: '2000',
  })
  const lines = () =>
    process
      .output()
      .split('\n')
      .filter(one => one.startsWith('{'))
      .map(one => JSON.parse(one) as { msg: string; count?: number; err?: { error_code?: string } })
  const ready = async () => (await fetch(`${process.url}/readyz`)).status
  await eventually('it is ready', async () => (await ready()) === 200)
  await line.cut()
  await eventually('it is ready no more', async () => (await ready()) === 503)
  await eventually('what came after the first is a number', () =>
    lines().some(one => one.msg === `${no_database}: repeated`),
  )
  const refused = lines().filter(one => one.err?.error_code === 'ECONNREFUSED')
  expect(refused.filter(one => one.msg !== no_database)).toEqual([])
  const numbers = lines().filter(one => one.count !== undefined)
  expect(refused.length).toBeLessThanOrEqual(numbers.length + 1)
  expect(numbers[0]?.count).toBeGreaterThan(3)
  const again = await layLine(line.port)
  await eventually('it is ready again', async () => (await ready()) === 200)
  await process.kill('SIGTERM')
  await again.cut()
})

test('a database that says nothing any more: requests are refused, and served again later', async () => {
  const line = await layLine()
  const process = await startProcess({
    ...world.environment,
    DATABASE_URL: line.url,
    KERNEL_DATABASE_WAIT_MS: '2000',
    KERNEL_STATEMENT_TIMEOUT_MS: '2000',
  })
  const ready = async () => (await fetch(`${process.url}/readyz`)).status
  await eventually('it is ready', async () => (await ready()) === 200)
  const { token } = world.person()
  const ask = async () => {
    const headers = { authorization: `Bearer ${token}` }
    const { status } = await fetch(`${process.url}/v1/notes`, { headers })
    return status
  }
  expect(await ask()).toBe(200)
  line.hush()
  const asked = await Promise.all(Array.from({ length: 30 }, ask))
  expect(new Set(asked)).toEqual(new Set([503]))
  expect(await ready()).toBe(503)
  await line.cut()
  const again = await layLine(line.port)
  await eventually('it is ready again', async () => (await ready()) === 200)
  await eventually('it serves requests again', async () => (await ask()) === 200)
  await process.kill('SIGTERM')
  await again.cut()
})
