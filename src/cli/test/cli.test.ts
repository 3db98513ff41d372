/** The command as a person meets it: what it prints and leaves behind; as a process where that matters. */
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { eventually } from '../../../test/world.ts'
import type { PlatformProcess } from '../../../test/process.ts'
import { newId } from '#dodeca/kernel'
import {
  databaseStopped,
  newInstallation,
  query,
  real_binary,
  type Installation,
} from './installation.ts'

let place: Installation
beforeAll(() => {
  place = newInstallation()
})
afterAll(() => place.close())

const real = { real: true }
const binary = { entry: real_binary }

describe.concurrent('words', () => {
  const said: readonly (readonly [string, RegExp])[] = [
    ['doktor', /^There is no command doktor\. Did you mean doctor\? `dodeca help` lists/],
    ['backup', /^`dodeca backup` is followed by create, verify or restore\.$/],
    ['backup verfy x', /^`dodeca backup` has no verfy\. Did you mean verify\? /],
    ['events tail --folow', /has no option --folow\. Did you mean --follow\? /],
    ['backup verify', /^`dodeca backup verify` requires <backup>\. Use it as/],
    ['start --port=many', /^PORT must be a whole number from 0 to 65535\.$/],
    ['keys list', /^There are no keys yet. The first start creates them\.$/],
    ['backup verify nowhere', /nowhere is not a backup: it has no manifest\.json\. /],
    ['router --cells=https://a:1', /^https:\/\/a:1 is no address of a cell\. /],
    ['router --cells=http://a:1 --port=x', /^--port is a number from 0 to 65535, not x\.$/],
    ['tenant move acme', /^`dodeca tenant move` requires --to-database and --to-cell\.$/],
  ]
  test.each(said)('%s prints one line and creates nothing', async (line, sentence) => {
    const data = place.data(`words-${newId()}`)
    const { code, out, err } = await place.run(data, line.split(' '), real)
    expect(err.trimEnd()).toMatch(sentence)
    expect(err.trimEnd().split('\n')).toHaveLength(1)
    expect([code, out]).toEqual([1, ''])
    expect(existsSync(join(data, 'postgres'))).toBe(false)
  })

  test('help lists every command and every setting, for people and machines', async () => {
    const data = place.data('help')
    const all = await place.begin(data, [], binary).outcome
    const { out } = await place.run(data, ['help', '--json'], real)
    const { commands } = JSON.parse(out) as { commands: { command: string }[] }
    expect(commands.map(one => one.command)).toContain('backup verify')
    for (const { command } of commands) expect(all.out).toContain(`  ${command}`)
    expect(all.out).not.toContain('\u001B[')
    const settings = await place.run(data, ['help', 'settings'], real)
    expect(settings.out).toMatch(/^KERNEL\n[^]*^  KERNEL_RATE_FACTOR {2}1\n {6}Multiplies/m)
    expect(settings.out).toMatch(
      /^Platform\n[^]*^  DATABASE_URL or DATABASE_URL_FILE {2}embedded\n/m,
    )
    expect(settings.out.split('\n').filter(line => /^ {6}.{95}/.test(line))).toEqual([])
    const one = await place.run(data, ['events', 'skip', '--help'], real)
    expect(one.out).toContain('Usage: npx dodeca events skip <park> [--reason=<why>]')
    expect([all.code, settings.code, one.code]).toEqual([0, 0, 0])
  })
})

describe('a data folder of its own', () => {
  test('is migrated, examined and rotated, and the database goes away with the command', async () => {
    const data = place.data('own')
    const before = await place.run(data, ['migrate', '--status'], real)
    expect(before.out).toMatch(/kernel\/0001-kernel +pending/)
    const unready = await place.run(data, ['backup', 'create'], real)
    expect(unready).toMatchObject({ code: 1 })
    expect(unready.err).toContain('The database is not up to date. Run `npx dodeca migrate`')
    const sick = await place.run(data, ['doctor', 'migrations', 'parks', '--json'], real)
    expect(sick.code).toBe(1)
    expect(JSON.parse(sick.out)).toMatchObject({
      ok: false,
      checks: [
        { check: 'migrations', state: 'violation' },
        { check: 'parks', state: 'violation', found: [/could not run/] },
      ].map(one => ({ check: one.check, state: one.state })),
    })
    const applied = await place.run(data, ['migrate'], real)
    expect(applied.out).toMatch(/^Applied \d+ migrations: kernel\/0001-kernel, /)
    const again = await place.run(data, ['migrate'], real)
    expect(again.out).toBe('The database is up to date.\n')
    const well = await place.begin(data, ['doctor', '--json'], binary).outcome
    expect(JSON.parse(well.out)).toMatchObject({ ok: true })
    expect(well.code).toBe(0)
    await databaseStopped(data)
    expect(existsSync(join(data, 'postgres', 'postmaster.pid'))).toBe(false)
  })

  test('has its key rotated in keys.json, and never behind the back of the environment', async () => {
    const data = place.data('keys')
    await place.run(data, ['migrate'], real)
    const file = join(data, 'keys.json')
    const old = JSON.parse(readFileSync(file, 'utf8')) as { keyring: string; pepper: string }
    const rotated = await place.run(data, ['keys', 'rotate', 'encryption'], real)
    expect(rotated.code).toBe(0)
    const kept = JSON.parse(readFileSync(file, 'utf8')) as typeof old
    expect(kept.keyring.endsWith(`,${old.keyring}`)).toBe(true)
    expect(kept.pepper).toBe(old.pepper)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const { out } = await place.run(data, ['keys', 'list', '--json'], real)
    const { keys } = JSON.parse(out) as { keys: { kid: string }[] }
    expect(keys.map(one => one.kid)).toEqual(kept.keyring.split(',').map(one => one.split(':')[0]))
    const examined = await place.run(data, ['doctor', 'keys'], real)
    expect(examined.out).toContain(`${keys[0]?.kid} is 0 days old`)
    const given = await place.run(data, ['keys', 'rotate', 'encryption'], {
      ...real,
      env: { KERNEL_KEYRING: old.keyring },
    })
    expect(given.err).toMatch(
      /come from KERNEL_KEYRING.*KERNEL_KEYRING="k\w+:.{44},<existing value/,
    )
    expect(given.code).toBe(1)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(kept)
  })

  test('reports settings with which PostgreSQL may lose confirmed data', async () => {
    const url = inject('admin_url')
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query<{ off: number }>(
      `select count(*)::int as off from pg_settings where setting = 'off'
       and name in ('fsync', 'full_page_writes', 'synchronous_commit')`,
    )
    await client.end()
    const env = { DATABASE_URL: url }
    const { code, out } = await place.run(place.data('lossy'), ['doctor', 'durability', '--json'], {
      ...real,
      env,
    })
    const { checks } = JSON.parse(out) as { checks: { found: string[] }[] }
    const off = checks[0]?.found.filter(one => one.endsWith(' is off')) ?? []
    expect(off).toHaveLength(rows[0]?.off ?? 0)
    expect(code).toBe(off.length > 0 ? 1 : 0)
  })

  test('is served by `start`, until a signal', async () => {
    const data = place.data('started')
    const running = place.begin(data, ['start', '--roles=api', '--port=0'], binary)
    await eventually('the platform is ready', () => running.out().includes('is ready'))
    expect(running.out()).toMatch(/Dodeca is ready on port \d+ after .*\(development, api, /)
    const { port } = JSON.parse(readFileSync(join(data, 'runtime.json'), 'utf8'))
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
    running.child.kill('SIGTERM')
    expect((await running.outcome).code).toBe(0)
  })
})

describe('beside a running platform', () => {
  const tenant = newId()
  const aggregate_id = newId()
  let data: string
  let platform: PlatformProcess
  beforeAll(async () => {
    data = place.data('running')
    platform = await place.platform(data, { KERNEL_PARK_SCHEDULE: '0' })
  })

  async function move(aggregate_version: number): Promise<void> {
    const answer = await fetch(`${platform.url}/dev/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        type: 'account.moved',
        tenant,
        aggregate_id,
        aggregate_version,
        data: { account_id: aggregate_id, transfer_id: newId() },
      }),
    })
    expect(answer.status).toBe(201)
  }

  async function deadPark(): Promise<string> {
    const dead = `select id from kernel.event_parks where state = 'dead'`
    const { id } = await eventually('the park is dead', async () => {
      const [found] = await query<{ id: string }>(data, dead)
      return found
    })
    return id
  }

  test('the log is followed, and Ctrl-C ends it well', async () => {
    const args = ['events', 'tail', '--follow', '--type=account.moved', '--json']
    const following = place.begin(data, args)
    await move(1)
    await eventually('the event is shown', () => following.out().includes(aggregate_id))
    following.child.kill('SIGINT')
    expect((await following.outcome).code).toBe(0)
    const shown = JSON.parse(following.out().trim()) as Record<string, unknown>
    expect(shown).toMatchObject({ type: 'account.moved', aggregate_id, aggregate_version: 1 })
    const none = await place.run(data, ['events', 'tail', '--type=account.closed'])
    expect(none).toMatchObject({ code: 0, out: '' })
    const consumers = await place.run(data, ['events', 'consumers'])
    expect(consumers.out).toMatch(/^CONSUMER +POSITION +BEHIND +SECONDS +PARKED\nbook\.heard /)
  })

  test('a dead park is found, tried again, and given up with a reason', async () => {
    // Version 3 does not follow version 1, so its consumer refuses it.
    await move(3)
    const park = await deadPark()
    const listed = await place.run(data, ['events', 'parks', '--consumer=book.heard'])
    expect(listed.out).toMatch(new RegExp(`^PARK .*\\n${park}  dead +book\\.heard +2 `))
    const sick = await place.run(data, ['doctor', 'parks'])
    expect(sick.out).toMatch(/violation.*parks[\s\S]*book\.heard: 1 dead[\s\S]*→ See/)
    expect(sick.code).toBe(1)
    const retried = await place.run(data, ['events', 'retry', park])
    expect(retried.out).toContain('is retried at once for book.heard')
    expect(await deadPark()).toBe(park)
    const unsaid = await place.run(data, ['events', 'skip', park])
    expect(unsaid.err).toBe('Say why the event is skipped: --reason="…".\n')
    const skipped = await place.run(data, ['events', 'skip', park, '--reason=a test', '--json'])
    expect(JSON.parse(skipped.out)).toMatchObject({ id: park, state: 'skipped' })
    const late = await place.run(data, ['events', 'retry', park])
    expect(late.err).toBe(`The park ${park} is skipped. Only a dead park can be retried.\n`)
    const unknown = await place.run(data, ['events', 'retry', newId()])
    expect(unknown.err).toMatch(/^There is no park .*`npx dodeca events parks` lists them\.\n$/)
    expect([unsaid.code, late.code, unknown.code]).toEqual([1, 1, 1])
    const acts = await query(
      data,
      'select actor, action, target, reason from kernel.audit_events order by id',
    )
    const actor = `cli:${userInfo().username}`
    expect(acts).toEqual([
      expect.objectContaining({ actor, action: 'kernel.event_parks.retry', target: park }),
      { actor, action: 'kernel.event_parks.skip', target: park, reason: 'a test' },
    ])
  })

  test('a read model is rebuilt, with its progress', async () => {
    const rebuilt = await place.run(data, ['rebuild', 'book.shelf'])
    expect(rebuilt.err).toContain('book.shelf: 50 % (2 of 4)\n')
    expect(rebuilt.out).toMatch(/^book\.shelf was rebuilt in [\d.]+ s\.\n$/)
    const none = await place.run(data, ['rebuild', 'book.shell', '--json'])
    expect(JSON.parse(none.err)).toEqual({
      error: 'There is no projection book.shell. Did you mean book.shelf? There are book.shelf.',
    })
    expect([rebuilt.code, none.code]).toEqual([0, 1])
  })

  test('the platform never noticed', async () => {
    expect((await fetch(`${platform.url}/readyz`)).status).toBe(200)
    platform.child.kill('SIGTERM')
    const [code] = (await once(platform.child, 'exit')) as [number]
    expect(code).toBe(0)
  })
})
