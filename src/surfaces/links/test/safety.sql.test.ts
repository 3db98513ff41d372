/** What keeps destinations safe beside the rules: verdicts, moderators and the public. */
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import { newId, sql } from '#dodeca/kernel'
import { applyVerdict } from '../moderation/apply-verdict.ts'
import { platform_domain_id } from '../domains/platform.ts'
import { openLinkWorld, type LinkWorld } from './link-world.ts'

let world: LinkWorld
let moderator: Member
beforeAll(async () => {
  world = await openLinkWorld()
  moderator = await world.moderator()
})
afterAll(() => world.close())

const Act = Type.Object({ action: Type.String(), reason: Type.String() })
const host = () => `h-${newId().slice(-12)}.example.com`
const read = (who: Member, code: string) =>
  world.call('GET', `/v1/links/${code}`, { token: who.token })
const moderate = (code: string, action: string) =>
  world.call('POST', `/v1/links/${code}/moderation`, {
    token: moderator.token,
    body: { action, reason: 'seen by us' },
  })

const by = { actor: 'system:test', reason: 'test' }

describe.concurrent('a verdict', () => {
  test('counts only for the destination that was looked at', async () => {
    const who = await world.member()
    const { body } = await world.shorten(who, {})
    const path = `/v1/links/${body.code}`
    await world.call('PATCH', path, {
      token: who.token,
      body: { destination_url: 'https://www.example.org/' },
    })
    const { db } = world.platform.kernel
    const judge = (destination_version: number) =>
      db.tx(tx =>
        applyVerdict(
          tx,
          world.deps,
          { domain_id: platform_domain_id, code: body.code, destination_version },
          'malicious',
          by,
        ),
      )
    expect(await judge(1)).toBe(false)
    expect((await read(who, body.code)).body).toMatchObject({ state: 'active', version: 2 })
    expect(await judge(2)).toBe(true)
    expect((await read(who, body.code)).body).toMatchObject({
      state: 'disabled',
      safety_state: 'malicious',
    })
    expect(await judge(2)).toBe(false)
    expect(await world.eventTypes({ code: body.code })).toEqual([
      'link.created',
      'link.updated',
      'link.scanned',
      'link.disabled',
    ])
  })

  test('that disabled a link cannot be undone by its owner, nor by a new destination', async () => {
    const who = await world.member()
    const { body } = await world.shorten(who, {})
    const judged = { domain_id: platform_domain_id, code: body.code, destination_version: 1 }
    await world.platform.kernel.db.tx(tx => applyVerdict(tx, world.deps, judged, 'malicious', by))
    const patch = (change: object) =>
      world.call('PATCH', `/v1/links/${body.code}`, { token: who.token, body: change })
    expect((await patch({ state: 'active' })).body.code).toBe('link_disabled_by_safety')
    const moved = await patch({ destination_url: 'https://www.example.net/' })
    expect([moved.status, moved.body.state]).toEqual([200, 'disabled'])
    expect((await patch({ state: 'active' })).body.code).toBe('link_disabled_by_safety')
    const enabled = await moderate(body.code, 'enable')
    expect([enabled.status, enabled.body.state, enabled.body.safety_state]).toEqual([
      200,
      'active',
      'clean',
    ])
  })
})

describe.concurrent('moderation', () => {
  test('is audited, announced, and stronger than the owner', async () => {
    const who = await world.member()
    const { body } = await world.shorten(who, {})
    expect((await moderate(body.code, 'enable')).body.code).toBe('invalid_transition')
    expect((await moderate(body.code, 'disable')).body.state).toBe('disabled')
    const woken = await world.call('PATCH', `/v1/links/${body.code}`, {
      token: who.token,
      body: { state: 'active' },
    })
    expect(woken.body.code).toBe('link_disabled_by_safety')
    expect((await moderate(body.code, 'enable')).body.state).toBe('active')
    expect(await world.eventTypes({ code: body.code })).toEqual([
      'link.created',
      'link.disabled',
      'link.scanned',
      'link.enabled',
    ])
    const acts = await world.platform.kernel.db.many(
      Act,
      sql`
        -- any tenant: acts of this moderator
        select action, reason from kernel.audit_events
        where actor = ${moderator.id} and tenant_id = ${who.tenant.id} order by id`,
    )
    expect(acts).toEqual([
      { action: 'links.links.disable', reason: 'seen by us' },
      { action: 'links.links.enable', reason: 'seen by us' },
    ])
  })

  test('of what the owner had switched off stays when the owner switches it on', async () => {
    const who = await world.member()
    const { body } = await world.shorten(who, {})
    const patch = (state: string) =>
      world.call('PATCH', `/v1/links/${body.code}`, { token: who.token, body: { state } })
    await patch('disabled')
    await moderate(body.code, 'disable')
    expect((await patch('active')).body.code).toBe('link_disabled_by_safety')
  })

  test('does not wake what its owner has put to sleep', async () => {
    const who = await world.member()
    const { body } = await world.shorten(who, {})
    const patch = (state: string) =>
      world.call('PATCH', `/v1/links/${body.code}`, { token: who.token, body: { state } })
    await patch('disabled')
    const asleep = await moderate(body.code, 'enable')
    expect([asleep.status, asleep.body.code]).toEqual([409, 'invalid_transition'])
    // Neither after a moderator has switched it off in between, nor when the owner did afterwards.
    await moderate(body.code, 'disable')
    expect((await moderate(body.code, 'enable')).body.state).toBe('disabled')
    expect((await world.call('GET', `/${body.code}`)).status).toBe(404)
    expect((await patch('active')).body.state).toBe('active')
    await moderate(body.code, 'disable')
    await patch('disabled')
    expect((await moderate(body.code, 'enable')).body.state).toBe('disabled')
    expect((await patch('active')).body.state).toBe('active')
  })

  test('is not for everybody', async () => {
    const who = await world.member()
    const { body } = await world.shorten(who, {})
    const answer = await world.call('POST', `/v1/links/${body.code}/moderation`, {
      token: who.token,
      body: { action: 'disable', reason: 'x' },
    })
    expect(answer.status).toBe(403)
    expect((await moderate('nothing-here', 'disable')).body.code).toBe('link_not_found')
  })
})

describe.concurrent('a report', () => {
  const report = (url: string) =>
    world.call('POST', '/v1/link-reports', { body: { url, reason: 'a trap' } })

  test('is received whether or not there is such a link', async () => {
    // A report makes new links to its host suspicious, also in other files that share this world.
    const destination_url = `https://${host()}/`
    const { body } = await world.shorten(await world.member(), { destination_url })
    const answers = await Promise.all(
      [body.short_url, 'http://dodeca.test/nothing-here', 'no address at all', 'ünicode'].map(
        report,
      ),
    )
    for (const { status, body: answer } of answers) {
      expect(status).toBe(201)
      expect(answer).toEqual({ id: expect.any(String), state: 'received' })
    }
  })

  test('reaches the moderators, makes new links to the same suspicious, and is settled by them', async () => {
    const who = await world.member()
    const destination_url = `https://${host()}/`
    const { body } = await world.shorten(who, { destination_url })
    const { body: sent } = await report(`http://DODECA.test/${body.code}+?x`)
    const list = async (state: string) => {
      const answer = await world.call('GET', `/v1/link-reports?state=${state}&limit=100`, {
        token: moderator.token,
      })
      return answer.body.data.find((one: { id: string }) => one.id === sent.id)
    }
    expect(await list('received')).toMatchObject({ code: body.code, reason: 'a trap' })
    for (const same of [destination_url, `${destination_url}#other`]) {
      const late = await world.shorten(who, { destination_url: same })
      expect(late.body.safety_state).toBe('suspicious')
    }
    await moderate(body.code, 'mark_clean')
    expect(await list('received')).toBeUndefined()
    expect(await list('resolved')).toMatchObject({ state: 'resolved' })
    expect((await world.shorten(who, { destination_url })).body.safety_state).toBe('clean')
  })

  test('comes ten times an hour from one network', async () => {
    const strict = await openLinkWorld({
      KERNEL_RATE_FACTOR: '1',
      KERNEL_THROTTLE_LOOPBACK: 'true',
      LINKS_REPORTS_PER_HOUR: '3',
    })
    try {
      const answers: number[] = []
      for (let times = 0; times < 4; times++) {
        const body = { url: 'http://dodeca.test/x', reason: 'x' }
        answers.push((await strict.call('POST', '/v1/link-reports', { body })).status)
      }
      expect(answers).toEqual([201, 201, 201, 429])
    } finally {
      await strict.close()
    }
  })
})
