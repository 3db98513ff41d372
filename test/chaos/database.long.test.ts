/**
 * PostgreSQL itself is killed under load: callers hear 503 for seconds, then all is well again, and no
 * write that was acknowledged is missing. This database writes durably, as a real one does.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, type Principal } from '#dodeca/kernel'
import { openKeyring } from '../../src/kernel/keys.ts'
import { startProcess, type PlatformProcess } from '../process.ts'
import { call, eventually, newKey } from '../world.ts'

let data_dir: string
let platform: PlatformProcess
beforeAll(async () => {
  data_dir = await mkdtemp(join(tmpdir(), 'dodeca-durable-'))
  platform = await startProcess({
    DATA_DIR: data_dir,
    PORT: '0',
    PUBLIC_URL: 'http://dodeca.test',
    LOG_LEVEL: 'silent',
    KERNEL_SANDBOX: 'false',
    KERNEL_RATE_FACTOR: '10000',
  })
})
afterAll(async () => {
  await platform.kill('SIGTERM')
  await rm(data_dir, { recursive: true, force: true })
})

test('the database dies under load and comes back', async () => {
  const url = await databaseUrl()
  const { token, principal } = await teller(url)
  const open = async () => {
    const body = { name: 'a', balance_minor: 1_000_000 }
    const answer = await call(platform.url, 'POST', '/v1/book/accounts', { token, body })
    return answer.body.id as string
  }
  const [from_id, to_id] = [await open(), await open()]
  const acknowledged: string[] = []
  const refused = new Set<number>()
  let stopping = false
  const load = Array.from({ length: 8 }, async () => {
    while (!stopping) {
      const body = { from_id, to_id, amount_minor: 1 }
      const answer = await call(platform.url, 'POST', '/v1/book/transfers', {
        token,
        key: newKey(),
        body,
      })
      if (answer.status === 201) acknowledged.push(answer.body.id as string)
      else refused.add(answer.status)
    }
  })
  for (let kill = 0; kill < 2; kill++) {
    const before = acknowledged.length
    await eventually('transfers go on', () => acknowledged.length > before + 50)
    process.kill(await postmaster(url), 'SIGKILL')
    await eventually('callers get an error', () => refused.size > 0)
    const after = acknowledged.length
    await eventually('it recovers', () => acknowledged.length > after + 20)
  }
  stopping = true
  await Promise.all(load)
  expect([...refused]).toEqual([503])
  await onDatabase(url, async client => {
    const { rows } = await client.query<{ n: number }>(
      'select count(*)::int as n from book.transfers where tenant_id = $1 and id = any($2::uuid[])',
      [principal.tenant_id, acknowledged],
    )
    expect(rows[0]?.n).toBe(acknowledged.length)
    await eventually('every event is heard', async () => {
      const heard = await client.query<{ ok: boolean }>(
        `select bool_and(h.last_version = a.version) as ok from book.accounts a
         join book.heard h on h.tenant_id = a.tenant_id and h.account_id = a.id`,
      )
      return heard.rows[0]?.ok
    })
  })
}, 300_000)

async function databaseUrl(): Promise<string> {
  const facts = JSON.parse(await readFile(join(data_dir, 'runtime.json'), 'utf8')) as {
    database_url: string
  }
  return facts.database_url
}

/** An account that may move money: a token of the platform's own keyring, and a grant. */
async function teller(url: string): Promise<{ token: string; principal: Principal }> {
  const file = join(data_dir, 'keys.json')
  const keys = await openKeyring({ keyring: null, pepper: null, file, may_create: false }).catch(
    () => openKeyring({ keyring: null, pepper: null, file, may_create: true }),
  )
  const principal: Principal = {
    id: newId(),
    tenant_id: newId(),
    kind: 'account',
    session_id: newId(),
    aal: 'aal1',
    auth_time: 0,
  }
  const facts = Buffer.from(JSON.stringify(principal)).toString('base64url')
  const token = `${facts}.${keys.mac('people.tokens', Buffer.from(facts)).toString('base64url')}`
  await onDatabase(url, client =>
    client.query(
      'insert into people.grants (tenant_id, account_id, permission) values ($1, $2, $3)',
      [principal.tenant_id, principal.id, 'book.transfers.make'],
    ),
  )
  return { token, principal }
}

async function onDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** The parent of any backend. */
async function postmaster(url: string): Promise<number> {
  const pid = await onDatabase(url, async client => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const status = await readFile(`/proc/${rows[0]?.pid}/status`, 'utf8')
    return Number(/PPid:\s+(\d+)/.exec(status)?.[1])
  })
  return pid
}
