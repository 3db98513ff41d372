/** The engine outside, spoken to over its own protocol: the sandbox's Web Risk in a process of its own. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Member } from '../../../../test/product-world.ts'
import { eventually } from '../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { platform_domain_id } from '../domains/platform.ts'
import { applyVerdict } from '../moderation/apply-verdict.ts'
import { openLinkWorld, type LinkWorld } from './link-world.ts'

let world: LinkWorld
let control: string
beforeAll(async () => {
  world = await openLinkWorld({
    LINKS_URL_REPUTATION: 'web_risk',
    LINKS_CREATES_PER_MINUTE: '1000',
  })
  const text = await readFile(join(world.data_dir, 'sandbox', 'addresses.json'), 'utf8')
  const addresses = JSON.parse(text) as Record<string, Record<string, string>>
  control = addresses['web_risk']?.['control'] ?? ''
})
afterAll(() => world.close())

const say = async (path: string, body: object) => {
  const answer = await fetch(new URL(path, control), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(answer.status).toBe(201)
}
const Attempts = Type.Object({ scan_attempts: Type.Integer() })
const address = () => `https://s-${newId().slice(-12)}.example.com/`
const read = async (who: Member, code: string) =>
  (await world.call('GET', `/v1/links/${code}`, { token: who.token })).body

test('a link waits for its verdict, and is clean then', async () => {
  const who = await world.member()
  const { body } = await world.shorten(who, { destination_url: address() })
  expect(body).toMatchObject({ state: 'pending_scan', safety_state: 'unscanned' })
  await eventually('it is clean', async () => (await read(who, body.code)).state === 'active')
  expect(await world.eventTypes({ code: body.code })).toEqual(['link.created', 'link.scanned'])
})

test('a threat is disabled, at once and after a change', async () => {
  const who = await world.member()
  const [bad, good] = [address(), address()]
  await say('threats', { uri: bad, threat_types: ['SOCIAL_ENGINEERING'] })
  const made = await world.shorten(who, { destination_url: bad })
  const moved = await world.shorten(who, { destination_url: good })
  await eventually('it is clean', async () => (await read(who, moved.body.code)).state === 'active')
  await world.call('PATCH', `/v1/links/${moved.body.code}`, {
    token: who.token,
    body: { destination_url: bad },
  })
  for (const { body } of [made, moved]) {
    await eventually('it is found', async () => (await read(who, body.code)).state === 'disabled')
    expect((await read(who, body.code)).safety_state).toBe('malicious')
  }
})

test('a link that our own rules suspect stays suspicious when the engine has no entry for it', async () => {
  const who = await world.member()
  const { body } = await world.shorten(who, { destination_url: 'https://xn--pple-43d.com/' })
  await eventually('it was scanned', async () => (await read(who, body.code)).version === 2)
  expect(await read(who, body.code)).toMatchObject({
    state: 'pending_scan',
    safety_state: 'suspicious',
  })
})

test('a verdict for an old destination comes too late', async () => {
  const who = await world.member()
  const [bad, good] = [address(), address()]
  await say('threats', { uri: bad, threat_types: ['MALWARE'] })
  await say('faults', { uri: bad, mode: 'slow', delay_ms: 1500 })
  const { body } = await world.shorten(who, { destination_url: bad })
  const asked = async () => {
    const { scan_attempts } = await world.platform.kernel.db.one(
      Attempts,
      sql`
        -- any tenant: this test's link
        select scan_attempts from links.links where code = ${body.code}`,
    )
    return scan_attempts > 0
  }
  await eventually('the engine is asked', asked)
  await world.call('PATCH', `/v1/links/${body.code}`, {
    token: who.token,
    body: { destination_url: good },
  })
  await eventually('the new one is clean', async () => {
    const { state, destination_version } = await read(who, body.code)
    return state === 'active' && destination_version === 2
  })
  const late = world.platform.kernel.db.tx(tx =>
    applyVerdict(
      tx,
      world.deps,
      { domain_id: platform_domain_id, code: body.code, destination_version: 1 },
      'malicious',
      { actor: 'system:web_risk', reason: 'late' },
    ),
  )
  expect(await late).toBe(false)
  expect(await world.eventTypes({ code: body.code })).toEqual([
    'link.created',
    'link.updated',
    'link.scanned',
  ])
})

test.each(['unavailable', 'invalid_response'])(
  'an engine that is %s is called again',
  async mode => {
    const who = await world.member()
    const uri = address()
    await say('faults', { uri, mode, times: mode === 'unavailable' ? 3 : 1 })
    const { body } = await world.shorten(who, { destination_url: uri })
    await eventually('the first try failed', async () => {
      const { scan_attempts } = await world.platform.kernel.db.one(
        Attempts,
        sql`
        -- any tenant: this test's link
        select scan_attempts from links.links where code = ${body.code}`,
      )
      return scan_attempts > 0
    })
    // The wait of a quarter of a minute is over at once.
    await eventually('it is clean', async () => {
      await world.platform.kernel.db.run(sql`
      -- any tenant: this test's link
      update links.links set scan_due_at = now() where code = ${body.code} and scan_due_at > now()`)
      return (await read(who, body.code)).state === 'active'
    })
    expect(await world.eventTypes({ code: body.code })).toEqual(['link.created', 'link.scanned'])
  },
)
