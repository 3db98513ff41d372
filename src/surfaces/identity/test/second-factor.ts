/**
 * People with second factors, as they would come by them over HTTP. A code of an app counts once a step,
 * so a test that needs another one moves the platform's clock to the next step instead of waiting.
 */
import { type TOTP, URI } from 'otpauth'
import { Type } from 'typebox'
import { expect } from 'vitest'
import { openProductWorld, type Member, type ProductWorld } from '../../../../test/product-world.ts'
import { shared } from '../../../../test/shared.ts'
import type { Answer } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { makeAuthenticator, type Authenticator } from './authenticator.ts'

export type App = { totp: TOTP; last: number }

export type Guarded = {
  readonly member: Member
  readonly method_id: string
  readonly app: App
  readonly recovery_codes: readonly string[]
}

/** Where the tests' PUBLIC_URL is served from. */
export const origin = 'http://dodeca.test'

/** Without settings: the world that the files with second factors share, because they move its clock. */
export async function openMfaWorld(settings?: Record<string, string>): Promise<ProductWorld> {
  if (settings) return await openProductWorld(settings)
  const world = await shared('product with second factors', () => openProductWorld({}))
  return { ...world, close: () => Promise.resolve() }
}

export async function moveClock(world: ProductWorld, by_seconds: number): Promise<void> {
  const { body } = await world.call('GET', '/dev/clock')
  const offset_seconds = body.offset_seconds + by_seconds
  const moved = await world.call('POST', '/dev/clock', { body: { offset_seconds } })
  expect(moved.status).toBe(200)
}

/** A code that was not used yet. */
export async function nextCode(world: ProductWorld, app: App): Promise<string> {
  const now = () => Math.floor(world.platform.kernel.clock.nowMs() / 30_000)
  if (now() <= app.last) await moveClock(world, 30 * (app.last + 1 - now()))
  app.last = now()
  return app.totp.generate({ timestamp: app.last * 30_000 })
}

/** Six digits that are no code of the app anywhere near now. */
export function wrongCode(world: ProductWorld, { totp }: App): string {
  const now_ms = world.platform.kernel.clock.nowMs()
  const near = [-2, -1, 0, 1, 2].map(step => totp.generate({ timestamp: now_ms + step * 30_000 }))
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find(
    code => !near.includes(code),
  ) as string
}

export async function enrolTotp(world: ProductWorld, token: string) {
  const enrolled = await world.call('POST', '/v1/mfa/methods', {
    token,
    body: { type: 'totp', label: 'App' },
  })
  expect(enrolled.status).toBe(201)
  const app: App = { totp: URI.parse(enrolled.body.otpauth_uri) as TOTP, last: 0 }
  return { enrolled, method_id: enrolled.body.id as string, app }
}

export function activate(world: ProductWorld, token: string, method_id: string, body: object) {
  return world.call('POST', `/v1/mfa/methods/${method_id}/activate`, { token, body })
}

/** A member with an app; the member's session is as old as the account, so it has one factor only. */
export async function guarded(world: ProductWorld, given?: Member): Promise<Guarded> {
  const member = given ?? (await world.member())
  const { method_id, app } = await enrolTotp(world, member.token)
  const code = await nextCode(world, app)
  const activated = await activate(world, member.token, method_id, { code })
  expect(activated.status).toBe(200)
  return { member, method_id, app, recovery_codes: activated.body.recovery_codes }
}

/** A member whose only factor is a security key. */
export async function keyed(world: ProductWorld): Promise<{
  member: Member
  method_id: string
  key: Authenticator
}> {
  const member = await world.member()
  const key = makeAuthenticator(origin)
  const enrolled = await enrolKey(world, member.token)
  const attestation = key.create(enrolled.body.public_key)
  const activated = await activate(world, member.token, enrolled.body.id, { attestation })
  expect(activated.status).toBe(200)
  return { member, method_id: enrolled.body.id, key }
}

export async function enrolKey(world: ProductWorld, token: string): Promise<Answer> {
  const body = { type: 'webauthn', label: 'Key' }
  const enrolled = await world.call('POST', '/v1/mfa/methods', { token, body })
  expect(enrolled.status).toBe(201)
  return enrolled
}

/** The password was right; the second factor is asked for. */
export async function halfway(world: ProductWorld, member: Member) {
  const answer = await world.login(member)
  expect(answer.status).toBe(202)
  return answer.body
}

export function verify(
  world: ProductWorld,
  challenge_id: string,
  token: string,
  body: object,
): Promise<Answer> {
  return world.call('POST', `/v1/mfa/challenges/${challenge_id}/verify`, { token, body })
}

/** Opens a step-up challenge of the session and answers it with the app. */
export async function stepUp(world: ProductWorld, who: Guarded, token: string): Promise<Answer> {
  const asked = await world.call('POST', '/v1/mfa/challenges', {
    token,
    body: { method_id: who.method_id, purpose: 'step_up' },
  })
  expect(asked.status).toBe(201)
  return await verify(world, asked.body.id, token, { code: await nextCode(world, who.app) })
}

/** The session's token, strong and fresh. */
export async function strongToken(world: ProductWorld, who: Guarded): Promise<string> {
  const stronger = await stepUp(world, who, who.member.token)
  expect(stronger.status).toBe(200)
  return stronger.body.access_token
}

export async function securityActions(world: ProductWorld, member: Member): Promise<string[]> {
  const rows = await world.platform.kernel.db.many(
    Type.Object({ action: Type.String() }),
    sql`select action from identity.security_events where account_id = ${member.id} order by id`,
  )
  return rows.map(({ action }) => action)
}

export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
}

/** Of requests whose order does not matter. */
export function statuses(answers: readonly Answer[]): number[] {
  return answers.map(({ status }) => status).toSorted((a, b) => a - b)
}
