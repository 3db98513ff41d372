/** Sources: who may say whom they hear, what is never shown, and what a source must be to be of use. */
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { openProductWorld } from '../../../../../test/product-world.ts'
import { newId, sql } from '#dodeca/kernel'
import { byGeneric, byStripe, genericOptions } from './signers.ts'
import { openSource, ownerIn } from './sources.ts'

const world = await openProductWorld()
const { db } = world.platform.kernel
afterAll(() => world.close())

test('a source is written as a whole, shown without its secrets, and gone when deleted', async () => {
  const owner = await ownerIn(world)
  const path = `/v1/inbound-sources/stripe/acct-${newId()}`
  const value = 'whsec_a-secret-of-stripe'
  const put = (body: object, headers = {}) =>
    world.call('PUT', path, { token: owner.token, body, headers })
  const made = await put({ scheme: 'stripe', secrets: [{ version: 4, value }] })
  expect([made.status, made.headers.get('location'), made.headers.get('etag')]).toEqual([
    201,
    path,
    '"1"',
  ])
  expect(made.body).toMatchObject({
    scheme: 'stripe',
    secret_versions: [4],
    tolerance_seconds: 300,
    options: {},
    url: `http://dodeca.test${path.replace('-sources', '')}`,
  })
  const given = { scheme: 'stripe', secrets: [5, 4].map(version => ({ version, value })) }
  expect((await put(given, { 'if-none-match': '*' })).status).toBe(412)
  const stale = await put(given, { 'if-match': '"7"' })
  expect([stale.status, stale.headers.get('etag')]).toEqual([412, '"1"'])
  const again = await put({ ...given, tolerance_seconds: 60 }, { 'if-match': '"1"' })
  expect([again.status, again.body.id, again.body.secret_versions]).toEqual([
    200,
    made.body.id,
    [4, 5],
  ])
  const read = await world.call('GET', path, owner)
  expect([read.status, read.body]).toEqual([200, again.body])
  const rows = await db.many(
    Type.Object({ text: Type.String() }),
    sql`
      -- any tenant: nothing holds it
      select k::text as text from webhooks.inbound_secrets k
      union all select s::text from webhooks.inbound_sources s
      union all select a::text from kernel.audit_events a`,
  )
  const hex = Buffer.from(value).toString('hex')
  for (const { text } of [...rows, made, again, read]) {
    expect(text).not.toContain(value)
    expect(text).not.toContain(hex)
  }
  for (const status of [204, 204]) {
    expect((await world.call('DELETE', path, owner)).status).toBe(status)
  }
  expect((await world.call('GET', path, owner)).body.code).toBe('inbound_source_not_found')
  const answer = await world.call('POST', path.replace('-sources', ''), { body: '{}' })
  expect([answer.status, answer.body.code]).toEqual([404, 'inbound_source_not_found'])
})

test('an address is one tenant’s, who alone sees its source and its receipts', async () => {
  const source = await openSource(world, 'stripe')
  const other = await ownerIn(world)
  await source.send(byStripe(source.signing()))
  const [receipt] = await source.receipts()
  const body = { scheme: 'stripe', secrets: [{ version: 1, value: 'of-another' }] }
  const taken = await world.call('PUT', source.path, { token: other.token, body })
  expect([taken.status, taken.body.code]).toEqual([409, 'already_exists'])
  expect((await world.call('DELETE', source.path, other)).status).toBe(204)
  expect((await world.call('GET', source.path, other)).status).toBe(404)
  for (const path of [`/v1/inbound-receipts/${receipt.id}`, receipt.payload_ref]) {
    const answer = await world.call('GET', path, other)
    expect([answer.status, answer.body.code]).toEqual([404, 'inbound_receipt_not_found'])
  }
  expect((await world.call('GET', '/v1/inbound-receipts', other)).body.data).toEqual([])
  expect((await world.call('GET', source.path, source.owner)).status).toBe(200)
  expect((await source.send(byStripe(source.signing()))).status).toBe(200)
})

test('a source that could prove nothing is refused, with the place of the mistake', async () => {
  const owner = await ownerIn(world)
  const value = 'a-long-secret'
  const secrets = [{ version: 1, value }]
  const generic = (options: object) => ({ scheme: 'generic_hmac', secrets, options })
  const { timestamp_header: _, ...untimed } = genericOptions
  const cases = [
    [{ scheme: 'standard', secrets }, '/secrets/0/value'],
    [{ scheme: 'stripe', secrets: [...secrets, ...secrets] }, '/secrets/1/version'],
    [generic({}), '/options/header'],
    [generic({ ...genericOptions, template: '{timestamp}' }), '/options/template'],
    [generic({ ...genericOptions, template: '{timestamp}{nonce}{body}' }), '/options/template'],
    [generic({ ...genericOptions, template: '{timestamp}{id}{body}' }), '/options/id_header'],
    [generic({ ...genericOptions, template: '{body}' }), '/options/timestamp_header'],
    [generic(untimed), '/options/timestamp_header'],
    [generic({ ...genericOptions, id_header: 'X-Id' }), '/options/id_pointer'],
    [{ scheme: 'pgp', secrets }, '/scheme'],
    [{ scheme: 'stripe', secrets: [] }, '/secrets'],
  ] as const
  for (const [body, pointer] of cases) {
    const path = `/v1/inbound-sources/acme/${newId()}`
    const answer = await world.call('PUT', path, { token: owner.token, body })
    expect([answer.status, answer.body.errors?.[0]?.pointer]).toEqual([422, pointer])
    expect(answer.text).not.toContain(value)
  }
})

test('a tolerance of its own widens the window of a source', async () => {
  const more = { options: genericOptions, tolerance_seconds: 3600 }
  const source = await openSource(world, 'generic_hmac', more)
  expect((await source.send(byGeneric(source.signing(3000)))).status).toBe(204)
  expect((await source.send(byGeneric(source.signing(3700)))).body.code).toBe(
    'timestamp_out_of_window',
  )
})

test('a member may neither name sources nor read receipts', async () => {
  const member = await world.member()
  const path = `/v1/inbound-sources/stripe/${newId()}`
  const asks = [
    ['PUT', path, { scheme: 'stripe', secrets: [{ version: 1, value: 'a-secret-' }] }],
    ['GET', path, undefined],
    ['DELETE', path, undefined],
    ['GET', '/v1/inbound-receipts', undefined],
    ['GET', `/v1/inbound-receipts/${newId()}`, undefined],
    ['POST', `/v1/inbound-receipts/${newId()}/reprocess`, { reason: 'why' }],
  ] as const
  for (const [method, where, body] of asks) {
    const answer = await world.call(method, where, { token: member.token, body })
    expect([answer.status, answer.body.code]).toEqual([403, 'permission_denied'])
  }
})
