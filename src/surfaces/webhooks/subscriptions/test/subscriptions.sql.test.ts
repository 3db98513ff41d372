/** A subscription over its life: what may follow what, who is refused, and what its owner's end means. */
import { afterAll, describe, expect, test } from 'vitest'
import type { Member } from '../../../../../test/product-world.ts'
import { eventually } from '../../../../../test/world.ts'
import { newId, sql } from '#dodeca/kernel'
import { at, openGround } from '../../test/ground.ts'
import { openReceiver, status } from '../../test/receiver.ts'

const ground = await openGround({ WEBHOOKS_MAX_SUBSCRIPTIONS: '5' })
const receiver = await openReceiver()
afterAll(async () => {
  await ground.close()
  await receiver.close()
})
const { db } = ground.platform.kernel

const path = '/v1/webhook-subscriptions'
const asked = () => ({
  endpoint: at(receiver, `/${newId()}`),
  event_filter: { types: ['account.verified'] },
  api_version: '2026-01',
  verification: 'manual',
})

const create = ({ token }: Member, more: object = {}) =>
  ground.call('POST', path, { token, body: { ...asked(), ...more } })

const patch = ({ token }: Member, id: string, body: object, if_match?: string) =>
  ground.call('PATCH', `${path}/${id}`, {
    token,
    body,
    ...(if_match ? { headers: { 'if-match': if_match } } : {}),
  })

const see = async ({ token }: Member, id: string) => ground.call('GET', `${path}/${id}`, { token })

const eventsOf = async (id: string) => {
  const { body } = await ground.call('GET', `/dev/events?aggregate_id=${id}`)
  return body.data.map((one: { type: string }) => one.type.replace('webhook_subscription.', ''))
}

describe.concurrent('a subscription', () => {
  test('that was deleted is still the outcome of its creation', async () => {
    const { token } = await ground.owner()
    const key = newId()
    const body = asked()
    const made = await ground.call('POST', path, { token, key, body })
    expect(made.status, made.text).toBe(201)
    const { id } = made.body
    expect((await ground.call('DELETE', `${path}/${id}`, { token })).status).toBe(204)
    const again = await ground.call('POST', path, { token, key, body })
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
    expect(again.headers.get('location')).toBe(`${path}/${id}`)
    expect(again.text).toBe(made.text)
  })

  test('rotates its secret once under one key, and shows it again', async () => {
    const owner = await ground.owner()
    const { token } = owner
    const { id } = (await create(owner)).body
    const key = newId()
    const rotate = () =>
      ground.call('POST', `${path}/${id}/rotate-secret`, { token, key, body: {} })
    const [first, again] = [await rotate(), await rotate()]
    expect([first.status, again.status]).toEqual([200, 200])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.text).toBe(first.text)
    expect((await see(owner, id)).body.secret_version).toBe(2)
  })

  test('is listed in its tenant, by state and id, with its health, until it is deleted', async () => {
    const [owner, stranger] = [await ground.owner(), await ground.owner()]
    const [waits, runs] = [(await create(owner)).body.id, (await create(owner)).body.id]
    await ground.call('POST', `${path}/${runs}/verify`, { token: owner.token, body: {} })
    const find = async ({ token }: Member, query: string) => {
      const { body } = await ground.call('GET', `${path}?${query}`, { token })
      return body.data.map((one: { id: string }) => one.id)
    }
    expect(await find(owner, '')).toEqual([runs, waits])
    expect(await find(owner, 'state=active')).toEqual([runs])
    expect(await find(owner, 'state=created')).toEqual([waits])
    expect([await find(owner, `find=${waits}`), await find(stranger, `find=${waits}`)]).toEqual([
      [waits],
      [],
    ])
    const headers = { accept: 'text/csv' }
    const table = await ground.call('GET', path, { token: owner.token, headers })
    const [header, ...lines] = table.text.trimEnd().split('\r\n')
    expect(header).toContain(
      ',verification.mode,verification.expires_at,created_at,health.breaker,',
    )
    expect(header).not.toContain('secret_c')
    expect(lines.map(line => line.slice(0, 36))).toEqual([runs, waits])
    await ground.call('DELETE', `${path}/${waits}`, owner)
    expect([await find(owner, ''), await find(owner, `find=${waits}`)]).toEqual([[runs], []])
    const { body } = await ground.call('GET', path, owner)
    expect(body.data).toEqual([(await see(owner, runs)).body])
  })

  test('changes state only as allowed, with one event for each step', async () => {
    const owner = await ground.owner()
    const { id } = (await create(owner)).body
    for (const state of ['active', 'paused']) {
      const early = await patch(owner, id, { state })
      expect([early.status, early.body.code, early.body.current_state]).toEqual([
        409,
        'invalid_transition',
        'created',
      ])
    }
    await ground.call('POST', `${path}/${id}/verify`, { token: owner.token, body: {} })
    for (const state of ['paused', 'paused', 'active', 'active']) {
      expect((await patch(owner, id, { state })).body.state).toBe(state)
    }
    // A pause would end with the challenge of the new endpoint.
    const both = await patch(owner, id, { endpoint: asked().endpoint, state: 'paused' })
    expect([both.status, both.body.code]).toEqual([409, 'invalid_transition'])
    await patch(owner, id, { description: 'of the shop' })
    const gone = await ground.call('DELETE', `${path}/${id}`, owner)
    expect([gone.status, gone.text]).toEqual([204, ''])
    expect((await ground.call('DELETE', `${path}/${id}`, owner)).status).toBe(204)
    for (const after of [await see(owner, id), await patch(owner, id, {})]) {
      expect([after.status, after.body.code]).toEqual([404, 'subscription_not_found'])
    }
    const announced = await eventually('all events are there', async () => {
      const types = await eventsOf(id)
      return types.includes('deleted') && types
    })
    expect(announced.toSorted()).toEqual(['created', 'deleted', 'paused', 'resumed', 'verified'])
  })

  test('that said 410 is taken up again with a challenge, at most once a minute', async () => {
    const owner = await ground.owner()
    const gone = await openReceiver()
    gone.answer(status(410))
    const { event_filter } = asked()
    const { id } = await ground.subscribe(owner, at(gone), { event_filter })
    const disabled = async () => {
      await ground.emit(owner)
      await eventually(
        'it is disabled',
        async () => (await see(owner, id)).body.state === 'disabled',
      )
    }
    await disabled()
    expect((await see(owner, id)).body).toMatchObject({ disabled_reason: 'gone' })
    const paused = await patch(owner, id, { state: 'paused' })
    expect([paused.status, paused.body.code]).toEqual([409, 'invalid_transition'])
    const challenges = gone.challenges.length
    const again = await patch(owner, id, { state: 'active' })
    expect([again.status, again.body.state, again.body.disabled_reason]).toEqual([
      200,
      'created',
      null,
    ])
    await eventually('it is active', async () => (await see(owner, id)).body.state === 'active')
    expect(gone.challenges).toHaveLength(challenges + 1)
    await disabled()
    const soon = await patch(owner, id, { state: 'active' })
    expect([soon.status, soon.body.code]).toEqual([429, 'cooldown'])
    expect(Number(soon.headers.get('retry-after'))).toBeGreaterThan(0)
    await gone.close()
  })

  test('is changed only in the version that is meant', async () => {
    const owner = await ground.owner()
    const made = await create(owner)
    const { id } = made.body
    const first = made.headers.get('etag') ?? ''
    const changed = await patch(owner, id, { description: 'one' }, first)
    const second = changed.headers.get('etag') ?? ''
    expect(second).not.toBe(first)
    for (const tag of [first, `W/${second}`]) {
      const stale = await patch(owner, id, { description: 'two' }, tag)
      expect([stale.status, stale.body.code]).toEqual([412, 'precondition_failed'])
    }
    const headers = { 'if-match': first }
    const { token } = owner
    const rotated = await ground.call('POST', `${path}/${id}/rotate-secret`, { token, headers })
    const deleted = await ground.call('DELETE', `${path}/${id}`, { token, headers })
    expect([rotated.status, deleted.status]).toEqual([412, 412])
    const seen = await see(owner, id)
    expect(seen.body.description).toBe('one')
    const tag = seen.headers.get('etag') ?? ''
    const again = () =>
      ground.call('GET', `${path}/${id}`, { token, headers: { 'if-none-match': tag } })
    expect((await again()).status).toBe(304)
    // The lane of a subscription has its health.
    await db.run(sql`
      update webhooks.delivery_lanes set consecutive_failures = 3 where subscription_id = ${id}`)
    expect((await again()).body.health?.consecutive_failures).toBe(3)
    expect((await patch(owner, id, { description: 'three' }, tag)).status).toBe(200)
  })

  test('is one of so many of its tenant, counted one after the other', async () => {
    const owner = await ground.owner()
    const answers = await Promise.all(Array.from({ length: 9 }, () => create(owner)))
    const refused = answers.filter(one => one.status !== 201)
    expect(refused.map(one => `${one.status} ${one.body.code}`)).toEqual(
      Array(4).fill('429 quota_exceeded'),
    )
    const kept = answers.filter(one => one.status === 201).map(one => one.body.id)
    // A deleted one makes room.
    await ground.call('DELETE', `${path}/${kept.pop()}`, owner)
    const next = await create(owner)
    expect(next.status).toBe(201)
    const seen: string[] = []
    for (let query = '?limit=2'; query !== '';) {
      const { body } = await ground.call('GET', path + query, owner)
      seen.push(...body.data.map((one: { id: string }) => one.id))
      query = body.has_more ? `?limit=2&cursor=${body.next_cursor}` : ''
    }
    expect(seen).toHaveLength(5)
    expect(seen[0]).toBe(next.body.id)
    expect(new Set(seen)).toEqual(new Set([...kept, next.body.id]))
  })

  test('of a disabled account is disabled, until another enables it', async () => {
    const owner = await ground.owner()
    const other = await ground.member(owner.tenant)
    await ground.give(other, 'tenant_admin')
    const ids = [(await create(owner)).body.id, (await create(owner)).body.id]
    const { body: theirs } = await create(other)
    await ground.call('POST', `${path}/${ids[0]}/verify`, { token: owner.token, body: {} })
    await db.tx(async tx =>
      tx.emit({
        type: 'account.status_changed',
        tenant_id: owner.tenant.id,
        aggregate_type: 'account',
        aggregate_id: owner.id,
        aggregate_version: 100,
        data: { account_id: owner.id, from: 'active', to: 'disabled', reason: 'left' },
      }),
    )
    for (const id of ids) {
      await eventually('it is disabled', async () => {
        const { state, disabled_reason } = (await see(other, id)).body
        return state === 'disabled' && disabled_reason === 'owner_revoked'
      })
    }
    expect((await see(other, theirs.id)).body.state).toBe('created')
    expect((await patch(other, ids[0], { state: 'active' })).body.state).toBe('created')
    const owned = await db.run(sql`
      update webhooks.subscriptions set updated_at = updated_at
      where tenant_id = ${owner.tenant.id} and id = ${ids[0]} and owner_id = ${other.id}`)
    expect(owned).toBe(1)
  })
})
