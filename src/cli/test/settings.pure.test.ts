/**
 * A fault in the settings is found before anything is touched, whatever starts. `keys init` makes
 * the keys that production requires.
 */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../settings.ts'
import { testComposition } from '../../../test/composition.ts'
import { runHere } from './in-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'dodeca-settings-'))
let connections = 0
const database = createServer(socket => {
  connections++
  socket.destroy()
})
let base: Record<string, string>
beforeAll(async () => {
  database.listen(0, '127.0.0.1')
  await once(database, 'listening')
  const { port } = database.address() as AddressInfo
  base = {
    PROFILE: 'production',
    PORT: '0',
    DATA_DIR: join(folder, 'data'),
    DATABASE_URL: `postgres://dodeca:secret@127.0.0.1:${port}/dodeca`,
    NOTIFICATIONS_EMAIL_PROVIDERS: 'relay=smtps://user:secret@mail.example.com:465',
    KERNEL_TRUSTED_PROXIES: 'proxy',
  }
})
afterAll(() => {
  database.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('a fault in the settings', () => {
  test.each([
    'start',
    'start --check',
    'start --processes=2',
    'start --processes=auto --roles=api',
    'migrate',
    'doctor',
    'tenant list',
    'backup create',
  ])('stops `%s` with all faults, and nothing is touched', async line => {
    const { code, out, err } = await runHere(line.split(' '), base)
    expect([code, out]).toEqual([1, ''])
    expect(err.trimEnd().split('\n')).toEqual([
      expect.stringContaining('KERNEL_KEYRING and KERNEL_PEPPER must both be set'),
      expect.stringContaining('KERNEL_TRUSTED_PROXIES'),
      expect.stringContaining('NOTIFICATIONS_MAIL_FROM'),
    ])
    expect(err).not.toContain('secret')
    expect([readdirSync(folder), connections]).toEqual([[], 0])
  })

  test('an unknown fault point is one, also before several processes', async () => {
    const given = { DATA_DIR: join(folder, 'data'), KERNEL_FAULTS: 'links.no_such=kill' }
    // The kernel's points are enough here: all surfaces take long to load.
    const composition = () => Promise.resolve(testComposition('http://127.0.0.1:9'))
    for (const more of [['--check'], ['--processes=2']]) {
      const { code, err } = await runHere(['start', ...more], given, { composition })
      expect([code, err]).toEqual([1, expect.stringContaining('no fault point links.no_such')])
    }
    expect(readdirSync(folder)).toEqual([])
  })

  test('`start --check` says that there is none, and touches nothing', async () => {
    const { out: keys } = await runHere(['keys', 'init'], {})
    const given = {
      ...base,
      ...parseEnv(keys),
      KERNEL_TRUSTED_PROXIES: '127.0.0.1',
      NOTIFICATIONS_MAIL_FROM: 'Shop <no-reply@shop.test>',
    } as Record<string, string>
    for (const more of [[], ['--processes=auto'], ['--roles=worker']]) {
      const { code, out, err } = await runHere(['start', '--check', ...more], given)
      expect([code, err]).toEqual([0, ''])
      expect(out).toBe('The settings are complete. Nothing was started.\n')
    }
    expect([readdirSync(folder), connections]).toEqual([[], 0])
  })
})

describe('keys init', () => {
  const env = mkdtempSync(join(tmpdir(), 'dodeca-env-'))
  afterAll(() => rmSync(env, { recursive: true, force: true }))
  const into = (file: string) => runHere(['keys', 'init', `--env=${file}`], {})
  const isComplete = (text: string) => {
    const given = parseEnv(text) as Record<string, string>
    const { settings } = loadConfig({}, given)
    return Boolean(settings['kernel.keyring'] && settings['kernel.pepper'])
  }

  test('prints new keys each time', async () => {
    const [one, other] = [await runHere(['keys', 'init'], {}), await runHere(['keys', 'init'], {})]
    expect([one.code, isComplete(one.out)]).toEqual([0, true])
    expect(one.out).not.toBe(other.out)
  })

  test('makes the file for its owner alone, and shows no key', async () => {
    const file = join(env, 'new.env')
    const { code, out } = await into(file)
    expect([code, out]).toEqual([0, `KERNEL_KEYRING and KERNEL_PEPPER are in ${file}.\n`])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(isComplete(readFileSync(file, 'utf8'))).toBe(true)
  })

  test('keeps what the file has, through a link, and closes it for others', async () => {
    const file = join(env, 'kept.env')
    const link = join(env, 'link.env')
    writeFileSync(file, '# ours\nKERNEL_PEPPER=\nPORT=8080', { mode: 0o644 })
    symlinkSync(file, link)
    expect((await into(link)).code).toBe(0)
    const text = readFileSync(file, 'utf8')
    expect(text).toMatch(/^# ours\nKERNEL_PEPPER=\nPORT=8080\nKERNEL_KEYRING=k/)
    expect([isComplete(text), statSync(file).mode & 0o777]).toEqual([true, 0o600])
  })

  test.each(['KERNEL_KEYRING=k1:x', 'export KERNEL_PEPPER=x', 'KERNEL_PEPPER_FILE=/run/pepper'])(
    'leaves a file with %s as it is',
    async line => {
      const file = join(env, 'there.env')
      writeFileSync(file, line)
      const { code, err } = await into(file)
      expect([code, err]).toEqual([1, expect.stringMatching(/has KERNEL_(KEYRING|PEPPER)/)])
      expect(readFileSync(file, 'utf8')).toBe(line)
    },
  )

  test('says that a folder is missing', async () => {
    const { code, err } = await into(join(env, 'no', 'such.env'))
    expect([code, err]).toEqual([1, expect.stringContaining('There is no folder')])
    expect(existsSync(join(env, 'no'))).toBe(false)
  })
})
