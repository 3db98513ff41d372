/**
 * `dodeca doctor enumeration` checks whether response times reveal that an address has an account.
 * It starts a platform with this installation's settings on a separate database, so that no mail is
 * sent and no row remains. `dodeca doctor` runs this check only if you name it, because the check
 * takes half a minute and needs an idle machine.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId, newSecret, sql, StartError } from '#dodeca/kernel'
import type { Question } from '../../runtime/doctor.ts'
import type { Inside } from '../../surfaces/identity/face.ts'
import type { Call } from '../command.ts'
import { actor, type Offline } from '../offline.ts'
import { compare, type Comparison } from './compare.ts'
import { probe, questions, type Asked, type Pair } from './probe.ts'

const pairs_count = 200
const makers = 4
const advice =
  'Repeat this while nothing else runs on this machine. If the result stays, the two cases do different work.'

export function enumerationQuestion(call: Call, offline: Offline): Question {
  return {
    name: 'enumeration',
    says: 'No response time reveals whether an address has an account',
    ask: async () => {
      const { found, alike } = await onScratch(call, offline, url => measure(call, url))
      return { state: alike ? 'ok' : 'violation', found, advice: alike ? null : advice }
    },
  }
}

async function measure(call: Call, database_url: string) {
  const data_dir = await mkdtemp(join(tmpdir(), 'dodeca-enumeration-'))
  const config = call.config(settingsOn(database_url, data_dir))
  const { start } = await import('../../runtime/start.ts')
  const running = await start(config, () => {}, await call.composition())
  try {
    const found: string[] = []
    let alike = true
    for (const what of Object.keys(questions) as Asked[]) {
      if (what === 'register' && !config.settings['identity.require_verified_email']) {
        found.push(
          'register: not compared. Where an address need not be verified ' +
            '(IDENTITY_REQUIRE_VERIFIED_EMAIL=false), a login after it reveals it anyway.',
        )
        continue
      }
      if (what === 'login code' && !config.settings['identity.login_codes']) {
        found.push('login code: not compared, because none is mailed (IDENTITY_LOGIN_CODES=false).')
        continue
      }
      const pairs = await makePairs(running.platform.opened['identity']?.face as Inside)
      const times = await probe(running.port, what, pairs, done =>
        call.terminal.gauge(`${what}: ${done} of ${pairs_count} pairs`),
      )
      const comparison = compare(times.known, times.absent)
      found.push(sentence(what, comparison))
      alike &&= comparison.alike
    }
    return { found, alike }
  } finally {
    call.terminal.endGauge()
    await running.stop()
    await rm(data_dir, { recursive: true, force: true })
  }
}

function settingsOn(database_url: string, data_dir: string): Record<string, string | undefined> {
  return {
    DATABASE_URL: database_url,
    KERNEL_DATABASE_DIRECT_URL: undefined,
    DATA_DIR: data_dir,
    HOST: '127.0.0.1',
    PORT: '0',
    ROLES: 'api',
    LOG_LEVEL: 'silent',
    ADMIN_EMAIL: undefined,
    ADMIN_PASSWORD: undefined,
    KERNEL_SANDBOX: 'false',
    KERNEL_FAULTS: '',
    KERNEL_DRAIN_SECONDS: '0',
    // All requests have the same IP address, so rate limits by IP address are turned off. These
    // limits are not tested here.
    KERNEL_THROTTLE_LOOPBACK: 'false',
    IDENTITY_TENANT_FROM: 'body',
  }
}

/**
 * Creates accounts that share one password, and the same number of addresses without an account.
 * All addresses have the same length.
 */
async function makePairs({ administration }: Inside): Promise<Pair[]> {
  const password = newSecret(24)
  const pairs = Array.from({ length: pairs_count }, () => ({
    known: `${newId()}@example.com`,
    absent: `${newId()}@example.com`,
  }))
  const left = [...pairs]
  const make = async () => {
    for (let pair = left.pop(); pair; pair = left.pop()) {
      const person = { tenant: 'default', email: pair.known, password, display_name: null }
      await administration.createAccount({ ...person, role_ids: [] }, actor())
    }
  }
  await Promise.all(Array.from({ length: makers }, make))
  return pairs
}

async function onScratch<T>(
  call: Call,
  { platform, ground }: Offline,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const { db } = platform.kernel
  const name = `dodeca_enumeration_${newId().slice(-12)}`
  call.terminal.progress('Measuring on a separate database …')
  try {
    await db.run(sql`create database ${sql.id(name)}`)
  } catch (error) {
    throw new StartError(
      'This check creates a database, which the role of DATABASE_URL may not do. Allow it ' +
        '(alter role … createdb), or set another DATABASE_URL for this check.',
      { cause: error },
    )
  }
  try {
    const url = new URL(ground.direct_url)
    url.pathname = `/${name}`
    return await work(url.toString())
  } finally {
    await db.run(sql`drop database ${sql.id(name)} with (force)`)
  }
}

function sentence(what: string, { medians_ms, apart, distance, p, alike }: Comparison): string {
  const [known, absent] = medians_ms.map(one => one.toFixed(2))
  return (
    `${what}: ${alike ? 'alike' : 'NOT alike'}; median ${known} ms with an account, ${absent} ms ` +
    `without (${(apart * 100).toFixed(1)} % apart, at most 10); Kolmogorov–Smirnov D ` +
    `${distance.toFixed(3)}, p ${p.toFixed(3)} (at least 0.01), ${pairs_count} pairs`
  )
}
