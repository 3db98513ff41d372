/**
 * A field is renamed over four releases: deprecated, its callers counted, removed, its column
 * dropped. Neighbouring releases serve one database; those further apart refuse to start.
 */
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, type Principal } from '#dodeca/kernel'
import { directClient, type DirectClient } from '../src/kernel/database/direct.ts'
import { emptyDatabase } from '../src/kernel/database/test/empty-database.ts'
import { start, type Running } from '../src/runtime/start.ts'
import { testConfig } from './composition.ts'
import { color_ends, type LettersRelease } from './surfaces/letters/schemas.ts'
import { letters } from './surfaces/letters/surface.ts'
import type { Face as People } from './surfaces/people/face.ts'
import { people } from './surfaces/people/surface.ts'
import { call, eventually, type Answer, type Clone } from './world.ts'

let database: Clone
let client: DirectClient
let folder: string
beforeAll(async () => {
  database = await emptyDatabase()
  client = directClient(database.url, 'test')
  await client.connect()
  folder = await mkdtemp(join(tmpdir(), 'dodeca-letters-'))
})
afterAll(async () => {
  await client.end()
  await database.drop()
  await rm(folder, { recursive: true })
})

type Released = {
  readonly running: Running
  post(who: Principal, body: object): Promise<Answer>
  get(who: Principal, path: string): Promise<Answer>
}

/** Starts a release that knows the first `known` migrations. */
async function release(number: LettersRelease, known: number = number): Promise<Released> {
  const migrations = await mkdtemp(join(folder, 'release-'))
  const all = join(import.meta.dirname, 'surfaces/letters/migrations')
  for (const file of (await readdir(all)).sort().slice(0, known)) {
    await cp(join(all, file), join(migrations, file))
  }
  const own = letters(number, pathToFileURL(`${migrations}/`))
  let face: People | undefined
  const running = await start(
    testConfig(
      {},
      {
        DATABASE_URL: database.url,
        DATA_DIR: folder,
        PORT: '0',
        PUBLIC_URL: 'http://dodeca.test',
        LOG_LEVEL: 'silent',
        KERNEL_SANDBOX: 'false',
        KERNEL_OVERLOAD_DELAY_MS: '60000',
      },
    ),
    () => {},
    {
      surfaces: [people, own],
      open: kernelFor => {
        const who = people.open(kernelFor(people), {})
        face = who.face
        const opened = { people: who, letters: own.open(kernelFor(own), {}) }
        return { opened, access: who.face.access }
      },
    },
  )
  const url = `http://127.0.0.1:${running.port}`
  const token = (who: Principal) => face?.token(who) ?? ''
  return {
    running,
    post: (who, body) => call(url, 'POST', '/v1/letters', { token: token(who), body }),
    get: (who, path) => call(url, 'GET', path, { token: token(who) }),
  }
}

function person(): Principal {
  const ids = { id: newId(), tenant_id: newId(), session_id: newId() }
  return { ...ids, kind: 'account', aal: 'aal1', auth_time: 0 }
}

/** How often each caller has sent the field. */
async function senders(): Promise<Record<string, number>> {
  const { rows } = await client.query<{ principal_id: string; calls: string }>(
    `select principal_id, calls from kernel.deprecated_calls where member = 'body /color'`,
  )
  return Object.fromEntries(rows.map(row => [row.principal_id, Number(row.calls)]))
}

const [ada, ben] = [person(), person()]

test('a field is deprecated, its callers are counted, and it is removed', async () => {
  const first = await release(1)
  const old = await first.post(ada, { text: 'one', color: 'red' })
  expect(old.body).toMatchObject({ color: 'red' })
  expect(old.headers.get('deprecation')).toBeNull()

  // Release 2 beside release 1: each reads what the other one has written.
  const second = await release(2)
  const both = await second.post(ada, { text: 'two', color: 'blue' })
  expect(both.body).toMatchObject({ ink: 'blue', color: 'blue' })
  expect(both.headers.get('deprecation')).toBe(`@${Date.parse(color_ends.at) / 1000}`)
  expect(both.headers.get('sunset')).toBe('Tue, 01 Jun 2027 00:00:00 GMT')
  const late = await first.post(ada, { text: 'three', color: 'green' })
  expect((await second.get(ada, `/v1/letters/${late.body.id}`)).body).toMatchObject({
    ink: 'green',
  })
  expect((await first.get(ada, `/v1/letters/${both.body.id}`)).body.color).toBe('blue')
  await first.running.stop()

  const modern = await second.post(ben, { text: 'four', ink: 'black' })
  expect([modern.status, modern.headers.get('deprecation')]).toEqual([201, null])
  expect((await second.post(ada, { text: 'five', color: 'red' })).status).toBe(201)
  await eventually('the callers are counted', async () => (await senders())[ada.id] === 2)
  expect(await senders()).toEqual({ [ada.id]: 2 })
  const listed = (await second.get(ada, '/v1/deprecations')).body.data
  expect(listed).toContainEqual({
    operation: 'POST /v1/letters',
    member: 'body /color',
    deprecated_at: color_ends.at,
    sunset_at: color_ends.sunset,
    replacement: color_ends.replacement,
    calls: 2,
    last_called_at: expect.any(String),
  })
  const ofBen = (await second.get(ben, '/v1/deprecations')).body.data
  expect(ofBen).toContainEqual(expect.objectContaining({ member: 'body /color', calls: 0 }))
  // A caller that gets the member in a reply may read it.
  expect(ofBen).toContainEqual(
    expect.objectContaining({ operation: 'POST /v1/letters', member: 'reply /color', calls: 1 }),
  )

  // The caller has changed its code, so the field can go. The process that stops writes its counts.
  expect((await second.post(ada, { text: 'six', ink: 'red' })).status).toBe(201)
  const third = await release(3)
  await second.running.stop()
  expect(await senders()).toEqual({ [ada.id]: 2 })
  const after = await third.post(ada, { text: 'seven', color: 'red' })
  expect([after.status, after.body.code]).toEqual([422, 'unsupported_field'])
  expect((await third.get(ada, `/v1/letters/${old.body.id}`)).body).toMatchObject({ ink: 'red' })
  expect((await third.get(ada, '/v1/deprecations')).body.data).toEqual([])

  // Release 4 drops the column. Release 3 still starts; release 2, which reads it, does not.
  await (await release(3, 4)).running.stop()
  await third.running.stop()
  const again = await release(3)
  expect((await again.get(ada, `/v1/letters/${old.body.id}`)).body).toMatchObject({ ink: 'red' })
  await expect(release(2)).rejects.toThrow('letters/0004-no-color, which this version does not')
  await again.running.stop()
})
