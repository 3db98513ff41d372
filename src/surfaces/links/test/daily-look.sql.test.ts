/** The daily check of the record of a verified host, and of unverified claims. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import type { Answer } from '../../../../test/world.ts'
import { drainQueue } from '../../../kernel/work/run-queue.ts'
import { retain } from '../../../kernel/work/retention.ts'
import { recheckQueue } from '../domains/recheck-domains.ts'
import { newHost, openDomainWorld, type DomainWorld } from './domain-world.ts'

let world: DomainWorld
beforeAll(async () => {
  world = await openDomainWorld()
})
afterAll(() => world.close())

const ask: DomainWorld['ask'] = (...asked) => world.ask(...asked)
const claim: DomainWorld['claim'] = (...asked) => world.claim(...asked)
const verify: DomainWorld['verify'] = (...asked) => world.verify(...asked)
const lay: DomainWorld['lay'] = claimed => world.lay(claimed)
const proven: DomainWorld['proven'] = (...asked) => world.proven(...asked)

const day_seconds = 86_400
const stateOf = async (who: Member, { body }: Answer) =>
  (await ask(who, 'GET', `/v1/domains/${body.id}`)).body.state as string

describe('the daily look', () => {
  let offset_seconds = 0
  /** Moves the platform's day on and looks again. */
  async function aDayLater(): Promise<void> {
    offset_seconds += day_seconds + 1
    await world.call('POST', '/dev/clock', { body: { offset_seconds } })
    await drainQueue(world.platform.kernel, recheckQueue(world.deps))
    // What they held has expired meanwhile.
    const { body } = await world.login(who)
    who = { ...who, token: body.access_token }
  }
  let who: Member
  beforeEach(async () => {
    who = await world.member()
  })

  test('suspends a host whose record is gone at three looks, and takes it back when it is there', async () => {
    const claimed = await proven(who, newHost())
    const { record_name } = claimed.body.verification
    world.dns.lay(record_name, [])
    await aDayLater()
    await aDayLater()
    expect(await stateOf(who, claimed)).toBe('active')
    await aDayLater()
    expect(await stateOf(who, claimed)).toBe('suspended')
    const link = await world.shorten(who, { domain: claimed.body.hostname })
    expect(link.body.code).toBe('domain_not_active')
    lay(claimed)
    await aDayLater()
    expect(await stateOf(who, claimed)).toBe('active')
    expect(await world.eventTypes({ id: claimed.body.id })).toEqual([
      'domain.created',
      'domain.verified',
      'domain.suspended',
      'domain.verified',
    ])
  })

  test('forgives a gap, and a silent DNS does not count', async () => {
    const claimed = await proven(who, newHost())
    const { record_name } = claimed.body.verification
    world.dns.lay(record_name, [])
    await aDayLater()
    await aDayLater()
    lay(claimed)
    await aDayLater()
    world.dns.lay(record_name, [])
    await aDayLater()
    await aDayLater()
    expect(await stateOf(who, claimed)).toBe('active')
    world.dns.lay(record_name, 'broken')
    for (let days = 0; days < 4; days++) await aDayLater()
    expect(await stateOf(who, claimed)).toBe('active')
  })

  test('a suspended host passes to the account that verifies it; its links do not', async () => {
    const hostname = newHost()
    const claimed = await proven(who, hostname)
    await world.shorten(who, { alias: 'mine', domain: hostname })
    world.dns.lay(claimed.body.verification.record_name, [])
    for (let days = 0; days < 3; days++) await aDayLater()
    const heir = await world.member()
    const heirs = await claim(heir, hostname)
    expect(heirs.status).toBe(201)
    expect((await verify(heir, heirs)).body.code).toBe('domain_verification_failed')
    lay(heirs)
    expect((await verify(heir, heirs)).body.state).toBe('active')
    expect((await ask(who, 'GET', `/v1/domains/${claimed.body.id}`)).status).toBe(404)
    const link = await ask(heir, 'GET', `/v1/links/mine?domain=${hostname}`)
    expect([link.status, link.body.code]).toEqual([404, 'link_not_found'])
    const again = await world.shorten(heir, { alias: 'mine', domain: hostname })
    expect([again.status, again.body.code]).toEqual([409, 'alias_taken'])
    expect(await world.eventTypes({ id: claimed.body.id })).toEqual([
      'domain.created',
      'domain.verified',
      'domain.suspended',
      'domain.removed',
    ])
  })

  test('an unverified claim is deleted', async () => {
    const claimed = await claim(who, newHost())
    lay(claimed)
    for (let days = 0; days < 8; days++) await aDayLater()
    expect((await verify(who, claimed)).body.code).toBe('domain_verification_failed')
    const declared = world.platform.opened['links']?.retention ?? []
    await retain(world.platform.kernel, declared, new AbortController().signal)
    expect((await ask(who, 'GET', `/v1/domains/${claimed.body.id}`)).status).toBe(404)
  })
})
