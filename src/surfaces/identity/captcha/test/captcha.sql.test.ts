/**
 * Captchas: a task in the format of ALTCHA, solved here with its library, and a provider that the
 * sandbox plays. An answer counts once, for its purpose and its time, whoever asks.
 */
import { solveChallenge } from 'altcha-lib'
import { afterAll, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { openProductWorld, password } from '../../../../../test/product-world.ts'
import { startProcess } from '../../../../../test/process.ts'
import { call, type Answer } from '../../../../../test/world.ts'
import { newWork } from '../work.ts'
import { moveClock } from '../../test/second-factor.ts'

const world = await openProductWorld({ IDENTITY_CAPTCHA: 'work', IDENTITY_CAPTCHA_WORK: '500' })
const asking = await openProductWorld({
  IDENTITY_CAPTCHA: 'siteverify',
  IDENTITY_CAPTCHA_SITE_KEY: 'public',
  IDENTITY_CAPTCHA_WORK: '500',
})
const throttled = await openProductWorld({
  IDENTITY_CAPTCHA: 'work',
  IDENTITY_CAPTCHA_WORK: '500',
  IDENTITY_CAPTCHA_FREE_ANONYMOUS: '2',
  IDENTITY_LOGIN_NETWORK_BURST: '6',
  KERNEL_THROTTLE_LOOPBACK: 'true',
  KERNEL_RATE_FACTOR: '1',
})
afterAll(() => Promise.all([world.close(), asking.close(), throttled.close()]))

const short = { 'identity.captcha_work': 500, 'identity.captcha_ttl_seconds': 600 }

type Task = {
  readonly algorithm: string
  readonly challenge: string
  readonly maxnumber: number
  readonly salt: string
  readonly signature: string
}
type Solution = Omit<Task, 'maxnumber'> & { readonly number: number }

async function task(purpose: string, at = world): Promise<Task> {
  const { status, text, body } = await at.call('POST', '/v1/captcha-challenges', {
    body: { purpose },
  })
  expect(status, text).toBe(200)
  return body
}

async function solve({ maxnumber, ...given }: Task): Promise<Solution> {
  const { challenge, salt, algorithm } = given
  const found = await solveChallenge(challenge, salt, algorithm, maxnumber).promise
  if (!found) throw new Error('the task has no solution')
  return { ...given, number: found.number }
}

const written = (solution: object) => btoa(JSON.stringify(solution))
const answerTo = async (purpose: string, at = world) =>
  written(await solve(await task(purpose, at)))

const asked = (captcha?: string) => ({ email: `c-${newId()}@example.test`, captcha })
const reset = (captcha?: string, at = world) =>
  at.call('POST', '/v1/password-reset-requests', { body: asked(captcha) })
const outcome = ({ status, body }: Answer) => (status < 400 ? status : body.code)

describe('a task', () => {
  test.each([
    ['registration', '/v1/accounts', { password }],
    ['login_code', '/v1/login-codes', {}],
    ['password_reset', '/v1/password-reset-requests', {}],
  ])('is required for %s', async (purpose, path, more) => {
    const refused = await world.call('POST', path, { body: { ...asked(), ...more } })
    expect([refused.status, refused.body.code]).toEqual([403, 'captcha_required'])
    expect(refused.body.captcha.kind).toBe('work')
    // The refusal has a task already.
    const captcha = written(await solve(refused.body.captcha.challenge))
    const accepted = await world.call('POST', path, { body: { ...asked(captcha), ...more } })
    expect(accepted.status, accepted.text).toBe(202)
    const another = await answerTo(purpose)
    const again = await world.call('POST', path, { body: { ...asked(another), ...more } })
    expect(again.status, again.text).toBe(202)
  })

  test('is shown by the login options', async () => {
    const { body } = await world.call('POST', '/v1/login-options', { body: {} })
    expect(body.captcha).toEqual({ kind: 'work', site_key: null })
  })

  test('counts once, also in two processes and twenty requests at once', async () => {
    const beside = await startProcess(world.environment, 'product')
    try {
      const captcha = await answerTo('password_reset')
      const all = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          call(at % 2 ? world.url : beside.url, 'POST', '/v1/password-reset-requests', {
            body: asked(captcha),
          }),
        ),
      )
      expect(all.filter(({ status }) => status === 202)).toHaveLength(1)
      expect(all.filter(({ body }) => body.code === 'captcha_required')).toHaveLength(19)
      // Written in another way, it is the same answer.
      const solution = JSON.parse(atob(captcha))
      expect(outcome(await reset(written({ took: 12, ...solution })))).toBe('captcha_required')
    } finally {
      await beside.kill()
    }
  })

  test('is for one purpose', async () => {
    expect(outcome(await reset(await answerTo('registration')))).toBe('captcha_required')
    expect(outcome(await reset(await answerTo('password_reset')))).toBe(202)
  })

  test.each<[string, (solution: Solution) => object]>([
    ['another number', one => ({ ...one, number: one.number + 1 })],
    ['another signature', one => ({ ...one, signature: '0'.repeat(64) })],
    [
      'a later end',
      one => ({ ...one, salt: one.salt.replace(/expires=\d+/, 'expires=9999999999') }),
    ],
    [
      'digits of the number moved to the salt',
      ({ salt, number, ...one }) => ({
        ...one,
        salt: `${salt}${String(number).slice(0, 1)}`,
        number: Number(String(number).slice(1)),
      }),
    ],
    [
      'another purpose in the salt',
      one => ({ ...one, salt: one.salt.replace('password_reset', 'registration') }),
    ],
  ])('is not accepted with %s', async (_name, bend) => {
    let solution = await solve(await task('password_reset'))
    while (solution.number < 10) solution = await solve(await task('password_reset'))
    expect(outcome(await reset(written(bend(solution))))).toBe('captcha_required')
    expect(outcome(await reset(written(solution)))).toBe(202)
  })

  test('cannot be made easier by the caller', async () => {
    const { salt, signature } = await task('password_reset')
    const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${salt}0`))
    const challenge = Buffer.from(bytes).toString('hex')
    const own = { algorithm: 'SHA-256', challenge, number: 0, salt, signature }
    expect(outcome(await reset(written(own)))).toBe('captcha_required')
  })

  test.each(['', 'bm90IGpzb24=', btoa('{}'), 'x'.repeat(8192)])('is not %s', async nonsense => {
    expect([403, 422]).toContain((await reset(nonsense)).status)
  })

  test('ends', async () => {
    const captcha = await answerTo('password_reset')
    await moveClock(world, 601)
    expect(outcome(await reset(captcha))).toBe('captcha_required')
  })
})

test('guests need one after the first, and log-ins past half of the attempts of a network', async () => {
  const tenant = await throttled.tenant()
  const visit = (captcha?: string) =>
    throttled.call('POST', '/v1/sessions', {
      body: { anonymous: true, tenant: tenant.slug, captcha },
    })
  const visits = [await visit(), await visit(), await visit()]
  expect(visits.map(outcome)).toEqual([201, 201, 'captcha_required'])
  expect(outcome(await visit(await answerTo('anonymous', throttled)))).toBe(201)
  const guess = (captcha?: string) =>
    throttled.call('POST', '/v1/sessions', {
      body: { email: asked().email, password, tenant: tenant.slug, captcha },
    })
  const guesses = [await guess(), await guess(), await guess(), await guess()]
  const no = 'invalid_credentials'
  expect(guesses.map(outcome)).toEqual([no, no, no, 'captcha_required'])
  for (let left = 3; left > 0; left--) {
    expect(outcome(await guess(await answerTo('login', throttled)))).toBe(no)
  }
  // With an answer, the limit of the network still counts.
  expect(outcome(await guess(await answerTo('login', throttled)))).toBe('rate_limited')
})

describe('a provider', () => {
  const solved = (host = 'dodeca.test') => `${host}.${newId()}`
  const fault = async (mode: string, times = 1) => {
    const control = asking.vendors['sign_in']?.['control'] ?? ''
    const body = JSON.stringify({ provider: 'captcha', mode, times })
    const headers = { 'content-type': 'application/json' }
    expect((await fetch(`${control}faults`, { method: 'POST', headers, body })).status).toBe(201)
  }

  test('says who is a person, once', async () => {
    const refused = await reset(undefined, asking)
    expect(refused.body.captcha).toEqual({ kind: 'siteverify', site_key: 'public' })
    const answer = solved()
    const all = await Promise.all(Array.from({ length: 20 }, () => reset(answer, asking)))
    expect(all.filter(({ status }) => status === 202)).toHaveLength(1)
    expect(outcome(await reset('no answer of a widget', asking))).toBe('captcha_required')
  })

  test('is not believed about another host, and no is no', async () => {
    expect(outcome(await reset(solved('evil.test'), asking))).toBe('captcha_required')
    for (const mode of ['other_host', 'refuses']) {
      await fault(mode)
      expect(outcome(await reset(solved(), asking))).toBe('captcha_required')
    }
    expect(outcome(await reset(solved(), asking))).toBe(202)
  })

  test.each(['silent', 'token_500'])('that is %s is replaced by a task', async mode => {
    await fault(mode)
    const refused = await reset(solved(), asking)
    expect([refused.status, refused.body.captcha.kind]).toEqual([403, 'work'])
    const captcha = written(await solve(refused.body.captcha.challenge))
    expect(outcome(await reset(captcha, asking))).toBe(202)
    expect(outcome(await reset(captcha, asking))).toBe('captcha_required')
  })

  test('gives no tasks to those who want one', async () => {
    const body = { purpose: 'password_reset' }
    const refused = await asking.call('POST', '/v1/captcha-challenges', { body })
    expect([refused.status, refused.body.code]).toEqual([409, 'captcha_work_off'])
    // Keys may be shared with a platform that gives tasks.
    const { keys, clock } = asking.platform.kernel
    const kernel = { keys, clock, settings: { ...asking.platform.kernel.settings, ...short } }
    const captcha = written(await solve(newWork(kernel as never, 'password_reset', false)))
    expect(outcome(await reset(captcha, asking))).toBe('captcha_required')
    const instead = written(await solve(newWork(kernel as never, 'password_reset', true)))
    expect(outcome(await reset(instead, asking))).toBe(202)
  })
})
