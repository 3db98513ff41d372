/**
 * What was answered is true on every process: a link that is deleted, changed or made here is so there,
 * whatever becomes of processes, connections and wake-ups on the way.
 */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { startProcess, type PlatformProcess } from '../../../../test/process.ts'
import type { Member } from '../../../../test/product-world.ts'
import { eventually } from '../../../../test/world.ts'
import { openLinkWorld, type LinkWorld } from './link-world.ts'
import { startVisitors, visit } from './visitors.ts'

let world: LinkWorld
let other: PlatformProcess
let owner: Member
beforeAll(async () => {
  world = await openLinkWorld({ LINKS_EXPIRY_MIN_SECONDS: '1' })
  other = await startApi()
  owner = await world.member()
})
afterAll(async () => {
  await other.kill('SIGTERM')
  await world.close()
})

const startApi = (more: Record<string, string> = {}) =>
  startProcess({ ...world.environment, ROLES: 'api', ...more }, 'product')

/** For one test, with a fault. */
async function startFaulty(faults: string): Promise<PlatformProcess> {
  const started = await startApi({ KERNEL_FAULTS: faults })
  onTestFinished(() => void started.child.kill('SIGKILL'))
  return started
}

async function link(more: object = {}): Promise<string> {
  const made = await world.shorten(owner, more)
  expect([made.status, made.body]).toMatchObject([201, {}])
  return made.body.code as string
}

async function remove(code: string, at = world.url): Promise<number> {
  const headers = { authorization: `Bearer ${owner.token}` }
  const { status } = await fetch(`${at}/v1/links/${code}`, { method: 'DELETE', headers })
  return status
}

const patch = (code: string, body: object) =>
  world.call('PATCH', `/v1/links/${code}`, { token: owner.token, body })

async function onDatabase<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: world.database_url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Visits of the other process that began after the moment and still led somewhere. */
const stale = (visits: readonly { began_ms: number; status: number | null }[], after_ms: number) =>
  visits.filter(({ began_ms, status }) => began_ms > after_ms && status === 302)

describe('a deletion', () => {
  test('is true under load on another process when it is answered', async () => {
    for (let round = 0; round < 5; round++) {
      const code = await link()
      const visitors = startVisitors(`${other.url}/${code}`)
      await visitors.more(50)
      expect(await remove(code)).toBe(204)
      const answered_ms = performance.now()
      await visitors.more(50)
      const visits = await visitors.stop()
      expect(visits.some(({ status }) => status === 302)).toBe(true)
      expect(stale(visits, answered_ms)).toEqual([])
    }
  })

  test('is true on a process that was stopped meanwhile, from its first answer on', async () => {
    const code = await link()
    const visitors = startVisitors(`${other.url}/${code}`, 2)
    await visitors.more(20)
    await visitors.stop()
    other.child.kill('SIGSTOP')
    expect(await remove(code)).toBe(204)
    const asked = Promise.all(Array.from({ length: 4 }, () => visit(`${other.url}/${code}`)))
    other.child.kill('SIGCONT')
    expect((await asked).map(({ status }) => status)).toEqual([404, 404, 404, 404])
  })

  test('is true where all connections to the database were cut', async () => {
    const code = await link()
    const visitors = startVisitors(`${other.url}/${code}`)
    await visitors.more(50)
    await onDatabase(client =>
      client.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`),
    )
    await eventually('it is deleted', async () => (await remove(code)) === 204)
    const answered_ms = performance.now()
    await visitors.more(20)
    expect(stale(await visitors.stop(), answered_ms)).toEqual([])
  })

  test('whose process dies before it can tell ends with the lease, and its repetition at once', async () => {
    const writer = await startFaulty('links.before_waking=kill@1')
    const code = await link()
    const visitors = startVisitors(`${other.url}/${code}`)
    await visitors.more(50)
    await expect(remove(code, writer.url)).rejects.toThrow('fetch failed')
    const committed_ms = performance.now()
    expect(await remove(code)).toBe(204)
    const answered_ms = performance.now()
    await visitors.more(50)
    const visits = await visitors.stop()
    expect(stale(visits, answered_ms)).toEqual([])
    expect(stale(visits, committed_ms + 2100)).toEqual([])
  })
})

test('a transaction that was open for long is seen when it commits', async () => {
  const code = await link()
  const first = `${other.url}/${code}`
  expect((await visit(first)).location).toBe('https://www.example.com/')
  await onDatabase(async client => {
    await client.query('begin')
    const changed = 'https://www.example.com/late'
    await client.query('update links.links set destination_url = $1 where code = $2', [
      changed,
      code,
    ])
    await client.query(
      `insert into links.link_changes (domain_id, code) select domain_id, code from links.links where code = $1`,
      [code],
    )
    // Later ones commit and are seen meanwhile.
    for (let later = 0; later < 3; later++) {
      const [another, visitors] = [await link(), startVisitors(first, 2)]
      await visitors.more(10)
      expect(await remove(another)).toBe(204)
      await visitors.stop()
    }
    expect((await visit(first)).location).toBe('https://www.example.com/')
    await client.query('commit')
    await eventually('it is seen', async () => (await visit(first)).location === changed)
  })
})

test('a slow read never brings back what a change has replaced', async () => {
  const slow = await startFaulty('links.link_read=delay:400@1')
  const code = await link()
  const reading = visit(`${slow.url}/${code}`)
  await eventually('it is registered', () =>
    onDatabase(async client => {
      const { rows } = await client.query('select 1 from links.redirect_nodes')
      return rows.length > 0
    }),
  )
  const destination_url = 'https://www.example.com/new'
  expect((await patch(code, { destination_url })).status).toBe(200)
  const places = [
    await reading,
    await visit(`${slow.url}/${code}`),
    await visit(`${slow.url}/${code}`),
  ]
  expect(places.slice(1).map(({ location }) => location)).toEqual([
    destination_url,
    destination_url,
  ])
})

test('a code that was unknown there works when its creation is answered', async () => {
  for (let round = 0; round < 5; round++) {
    const alias = `new-${newId().slice(-12)}`
    const address = `${other.url}/${alias}`
    const capital = `${other.url}/${alias.toUpperCase()}`
    for (const at of [address, address, capital, capital])
      expect((await visit(at)).status).toBe(404)
    await link({ alias })
    expect([(await visit(address)).status, (await visit(capital)).status]).toEqual([302, 302])
  }
})

test('a creation that is answered again is true everywhere, too, though its first process died', async () => {
  const writer = await startFaulty('links.before_waking=kill@1')
  const alias = `again-${newId().slice(-12)}`
  const address = `${other.url}/${alias}`
  for (const at of [address, address]) expect((await visit(at)).status).toBe(404)
  const create = (url: string) =>
    fetch(`${url}/v1/links`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${owner.token}`,
        'content-type': 'application/json',
        'idempotency-key': alias,
      },
      body: JSON.stringify({ destination_url: 'https://www.example.com/', alias }),
    })
  await expect(create(writer.url)).rejects.toThrow('fetch failed')
  const again = await create(world.url)
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
  expect((await visit(address)).status).toBe(302)
})

test('no process misses a change, whichever process made it', async () => {
  const code = await link()
  for (let round = 0; round < 10; round++) {
    const destination_url = `https://www.example.com/${round}`
    const at = round % 2 === 0 ? world.url : other.url
    const changed = await fetch(`${at}/v1/links/${code}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ destination_url }),
    })
    expect(changed.status).toBe(200)
    const seen = await Promise.all([world.url, other.url].map(url => visit(`${url}/${code}`)))
    expect(seen.map(({ location }) => location)).toEqual([destination_url, destination_url])
  }
})

test('a cached link ends when its life ends, and no cache may store it longer', async () => {
  const expires_ms = Date.now() + 2000
  const code = await link({
    expires_at: new Date(expires_ms).toISOString(),
    policy: { cache_seconds: 300, edge_cache_seconds: 600 },
  })
  const origin_ms = performance.timeOrigin
  const plain = await link({ expires_at: new Date(expires_ms).toISOString() })
  for (const one of [code, plain]) {
    const visitors = startVisitors(`${other.url}/${one}`, 2)
    await eventually('it has ended', () => visitors.visits.at(-1)?.status === 404)
    const visits = await visitors.stop()
    for (const { began_ms, ended_ms, status, headers } of visits) {
      if (status !== 302) continue
      expect(origin_ms + began_ms).toBeLessThanOrEqual(expires_ms)
      for (const name of ['cache-control', 'cdn-cache-control']) {
        const age = Number(/max-age=(\d+)/.exec(headers?.get(name) ?? 'max-age=0')?.[1])
        expect(origin_ms + began_ms + age * 1000).toBeLessThanOrEqual(
          expires_ms + ended_ms - began_ms,
        )
      }
    }
    const { code: reason } = (await (await fetch(`${other.url}/${one}`)).json()) as { code: string }
    expect(reason).toBe('link_expired')
  }
})

test('of 100 at once over two processes one follows a link that may be followed once', async () => {
  const code = await link({ max_clicks: 1 })
  const urls = Array.from({ length: 100 }, (_, at) => (at % 2 ? world.url : other.url))
  const visits = await Promise.all(urls.map(url => visit(`${url}/${code}`)))
  expect(visits.filter(({ status }) => status === 302)).toHaveLength(1)
})
