/**
 * The database dies under load: redirects continue until the lease ends, then visitors get 503, and
 * when it is back every redirect is counted, none twice.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { startProcess, type PlatformProcess } from '../../../../test/process.ts'
import { call, eventually } from '../../../../test/world.ts'
import { startVisitors, visit } from './visitors.ts'

type Outage = { readonly data_dir: string; readonly platform: PlatformProcess }

const open: Outage[] = []
afterAll(async () => {
  for (const { platform, data_dir } of open) {
    await platform.kill('SIGTERM')
    await rm(data_dir, { recursive: true, force: true })
  }
})

async function openPlatform(settings: Record<string, string> = {}): Promise<Outage> {
  const data_dir = await mkdtemp(join(tmpdir(), 'dodeca-outage-'))
  const platform = await startProcess(
    {
      DATA_DIR: data_dir,
      PORT: '0',
      PUBLIC_URL: 'http://dodeca.test',
      LOG_LEVEL: 'silent',
      KERNEL_SANDBOX: 'false',
      KERNEL_RATE_FACTOR: '10000',
      KERNEL_OVERLOAD_DELAY_MS: '60000',
      ADMIN_EMAIL: 'admin@example.test',
      ADMIN_PASSWORD: 'correct horse battery staple',
      ...settings,
    },
    'product',
  )
  open.push({ data_dir, platform })
  return { data_dir, platform }
}

test('redirects outlast a dead database for the lease, and no click is lost or doubled', async () => {
  const outage = await openPlatform()
  const { url } = outage.platform
  const code = await newLink(url)
  const visitors = startVisitors(`${url}/${code}`)
  await visitors.more(200)
  const killed_ms = performance.now()
  process.kill(await postmaster(outage), 'SIGKILL')
  await eventually('visitors get an error', async () => {
    // It may be back before the lease has ended.
    await postmaster(outage).then(
      pid => process.kill(pid, 'SIGKILL'),
      () => {},
    )
    return visitors.visits.some(({ status }) => status === 503)
  })
  await eventually('redirects come back', () => {
    const last_refusal = visitors.visits.findLastIndex(({ status }) => status === 503)
    return visitors.visits.length - last_refusal > 100
  })
  const visits = await visitors.stop()
  expect(new Set(visits.map(({ status }) => status))).toEqual(new Set([302, 503]))
  const refused = visits.filter(({ status }) => status === 503)
  expect(refused.every(({ headers }) => Number(headers?.get('retry-after')) > 0)).toBe(true)
  // From memory, after the database had gone.
  const first_refusal = visits.findIndex(({ status }) => status === 503)
  const outlasted = visits.slice(0, first_refusal).filter(({ began_ms }) => began_ms > killed_ms)
  expect(outlasted.length).toBeGreaterThan(0)
  const followed = visits.filter(({ status }) => status === 302).length
  await eventually('every click is counted', async () => (await summed(outage, code)) === followed)
  expect(await counted(outage, code)).toBe(followed)
  expect((await visit(`${url}/${code}`)).status).toBe(302)
}, 300_000)

test('redirects go on without a database for as long as the operator says', async () => {
  const outage = await openPlatform({ LINKS_STALE_IF_DB_DOWN_SECONDS: '600' })
  const { url } = outage.platform
  const [code, other] = [await newLink(url), await newLink(url)]
  const visitors = startVisitors(`${url}/${code}`)
  await visitors.more(200)
  process.kill(await postmaster(outage), 'SIGKILL')
  // Whatever is not in memory has to be asked for, so these tell when the database was away.
  const asked: (number | null)[] = []
  do {
    asked.push((await visit(`${url}/${other}-${asked.length}`)).status)
  } while (!asked.includes(503) || asked.at(-1) === 503)
  await visitors.more(200)
  const visits = await visitors.stop()
  expect(new Set(visits.map(({ status }) => status))).toEqual(new Set([302]))
}, 300_000)

async function newLink(url: string): Promise<string> {
  const login = await call(url, 'POST', '/v1/sessions', {
    body: { email: 'admin@example.test', password: 'correct horse battery staple' },
  })
  const made = await call(url, 'POST', '/v1/links', {
    token: login.body.access_token,
    body: { destination_url: 'https://www.example.com/' },
  })
  expect(made.status).toBe(201)
  return made.body.code
}

async function onDatabase<T>(
  { data_dir }: Outage,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const file = join(data_dir, 'runtime.json')
  const { database_url } = JSON.parse(await readFile(file, 'utf8')) as { database_url: string }
  const client = new pg.Client({ connectionString: database_url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** The parent of any backend. */
const postmaster = (outage: Outage) =>
  onDatabase(outage, async client => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const status = await readFile(`/proc/${rows[0]?.pid}/status`, 'utf8')
    return Number(/PPid:\s+(\d+)/.exec(status)?.[1])
  })

const counted = (outage: Outage, code: string) =>
  number(outage, 'select count(*)::int as n from links.click_events where code = $1', code)
const summed = (outage: Outage, code: string) =>
  number(
    outage,
    'select coalesce(sum(clicks + bots), 0)::int as n from links.daily_link_stats where code = $1',
    code,
  )

const number = (outage: Outage, statement: string, code: string) =>
  onDatabase(outage, async client => {
    const { rows } = await client.query<{ n: number }>(statement, [code])
    return rows[0]?.n ?? -1
  })
