/**
 * A task in the format of ALTCHA, solved here with its library. An answer counts once, for its
 * purpose and its time.
 */
import { solveChallenge } from 'altcha-lib'
import { afterAll, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { openProductWorld, password } from '../../../../../test/product-world.ts'
import { startProcess } from '../../../../../test/process.ts'
import { call, type Answer } from '../../../../../test/world.ts'
import { moveClock } from '../../test/second-factor.ts'

const world = await openProductWorld({ IDENTITY_CAPTCHA: 'work', IDENTITY_CAPTCHA_WORK: '500' })
const throttled = await openProductWorld({
  IDENTITY_CAPTCHA: 'work',
  IDENTITY_CAPTCHA_WORK: '500',
  IDENTITY_CAPTCHA_FREE_ANONYMOUS: '2',
  IDENTITY_LOGIN_NETWORK_BURST: '6',
  KERNEL_THROTTLE_LOOPBACK: 'true',
  KERNEL_RATE_FACTOR: '1',
})
afterAll(() => Promise.all([world.close(), throttled.close()]))

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
const reset = (captcha?: string) =>
  world.call('POST', '/v1/password-reset-requests', { body: asked(captcha) })
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
    expect(body.captcha).toEqual({ kind: 'work' })
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

  test.each(['', 'bm90IGpzb24=', btoa('{}'), 'x'.repeat(1000)])('is not %s', async nonsense => {
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
