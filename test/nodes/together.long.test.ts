/**
 * Three nodes at once, with nothing broken: of a race one wins, whichever nodes were asked; what was
 * taken away or changed on one node is so on all; and what happens once happens on one node only.
 */
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { talkerOf, upTo, type Talker } from '../../src/surfaces/chat/test/chat-world.ts'
import { openShop } from '../../src/surfaces/commerce/test/shop-world.ts'
import { startVisitors, type Visit } from '../../src/surfaces/links/test/visitors.ts'
import { sha256 } from '../../src/surfaces/uploads/test/upload-world.ts'
import { openReceiver, type Receiver } from '../../src/surfaces/webhooks/test/receiver.ts'
import type { Member } from '../product-world.ts'
import { call, eventually, newKey, type Ask } from '../world.ts'
import { enginesAreInstalled } from './engines.ts'
import { openNodes, reachable, type Node, type NodesWorld } from './world.ts'

const Ids = Type.Object({ id: Type.String() })
const Count = Type.Object({ n: Type.Integer() })
const target = 'https://www.example.com/'

describe.skipIf(!enginesAreInstalled)('three nodes', () => {
  let world: NodesWorld
  let receiver: Receiver
  beforeAll(async () => {
    // A busy machine is no overload. One node has no room for all jobs.
    world = await openNodes({ KERNEL_DATABASE_WAIT_MS: '20000', JOBS_CONCURRENCY: '5' })
    receiver = await openReceiver(world.network.tester)
  }, 300_000)
  afterAll(async () => {
    await world?.close()
    await receiver?.close()
  })

  const nodeFor = (n: number): Node => world.nodes[n % world.nodes.length] as Node
  /** Asks the nodes in turn. */
  const onAll = (times: number, method: string, path: string, ask: (n: number) => Ask) =>
    Promise.all(upTo(times).map(n => call(nodeFor(n).url, method, path, ask(n))))
  const authorization = ({ token }: Member) => ({ authorization: `Bearer ${token}` })
  /** The same request on every node, again and again. */
  const visitAll = (path: string, headers = {}) =>
    world.nodes.map(node => startVisitors(node.url + path, 2, headers))
  const statuses = (visits: readonly Visit[]) => new Set(visits.map(one => one.status))

  describe('races', () => {
    test('one key, twenty requests: one effect, and one reply on all nodes', async () => {
      const { token, tenant } = await world.member()
      const key = newKey()
      const body = { destination_url: target }
      const answers = await onAll(20, 'POST', '/v1/links', () => ({ token, key, body }))
      const late = await call(world.url, 'POST', '/v1/links', { token, key, body })
      expect(late.status).toBe(201)
      const created = answers.filter(one => one.status === 201)
      // Those that waited too long for the first one were asked to come again.
      const asked_again = answers.filter(one => one.body.code === 'idempotency_in_progress')
      expect(created.length + asked_again.length).toBe(20)
      expect(new Set(created.map(one => one.text))).toEqual(new Set([late.text]))
      const stored = sql`select id from links.links where tenant_id = ${tenant.id}`
      expect(await world.db.many(Ids, stored)).toHaveLength(1)
    })

    test('one alias goes to one of twenty', async () => {
      const { token } = await world.member()
      const body = { destination_url: target, alias: `race-${newId().slice(-12)}` }
      const answers = await onAll(20, 'POST', '/v1/links', () => ({ token, key: newKey(), body }))
      const won = answers.filter(one => one.status === 201)
      expect(won).toHaveLength(1)
      expect(statusesOf(answers.filter(one => one !== won[0]))).toEqual([409])
    })

    test('the last unit goes to one of nine buyers, and money is held once', async () => {
      const shop = await openShop({ ...world, control: world.services.control })
      const sku = await shop.product({ stock: 1 })
      const buyers = await Promise.all(upTo(9).map(() => shop.buyer()))
      const carts = await Promise.all(buyers.map(buyer => buyer.cart({ [sku]: 1 })))
      const answers = await onAll(9, 'POST', '/v1/checkouts', n => ({
        token: buyers[n - 1]?.token ?? '',
        key: newKey(),
        body: { cart_id: carts[n - 1], payment: { payment_method: 'pm_card_visa' } },
      }))
      const won = answers.filter(one => one.status < 300)
      expect(won, JSON.stringify(answers.map(one => one.text))).toHaveLength(1)
      expect(statusesOf(answers.filter(one => one !== won[0]))).toEqual([409])
      const order_id = won[0]?.body.id as string
      const buyer = buyers[answers.indexOf(won[0] as (typeof answers)[0])]
      await buyer?.reaches(order_id, 'confirmed')
      expect(await shop.money(order_id)).toEqual(['authorize'])
      await shop.sound()
    })
  })

  describe('rights', () => {
    test('a session that ended on one node has ended on all within a second', async () => {
      const member = await world.member()
      const visitors = visitAll('/v1/me', authorization(member))
      await Promise.all(visitors.map(one => one.more(10)))
      const ended = await call(
        nodeFor(0).url,
        'DELETE',
        `/v1/sessions/${member.session_id}`,
        member,
      )
      expect(ended.status).toBe(204)
      const answered_ms = performance.now()
      const late = ({ began_ms }: Visit) => began_ms > answered_ms + 1000
      for (const one of visitors) {
        await eventually('it is visited after a second', () => one.visits.some(late))
        const visits = await one.stop()
        expect(statuses(visits)).toEqual(new Set([200, 401]))
        expect(statuses(visits.filter(late))).toEqual(new Set([401]))
      }
    })

    test('a role that was taken away on one node has no effect on any', async () => {
      const administrator = await world.member()
      await world.give(administrator, 'tenant_admin')
      const member = await world.member(administrator.tenant)
      await world.give(member, 'auditor')
      const visitors = visitAll('/v1/audit-events', authorization(member))
      await Promise.all(visitors.map(one => one.more(10)))
      const path = `/v1/accounts/${member.id}/roles/auditor`
      const taken = await call(nodeFor(1).url, 'DELETE', path, { token: administrator.token })
      expect(taken.status, taken.text).toBe(204)
      const answered_ms = performance.now()
      for (const one of visitors) {
        await one.more(10)
        const visits = await one.stop()
        expect(statuses(visits)).toEqual(new Set([200, 403]))
        const late = visits.filter(({ began_ms }) => began_ms > answered_ms)
        expect(statuses(late)).toEqual(new Set([403]))
      }
    })
  })

  test('a link that was changed on one node leads to its new target on all', async () => {
    const { token } = await world.member()
    const body = { destination_url: target, alias: `cached-${newId().slice(-12)}` }
    const made = await call(nodeFor(0).url, 'POST', '/v1/links', { token, key: newKey(), body })
    expect(made.status, made.text).toBe(201)
    const visitors = visitAll(`/${body.alias}`)
    await Promise.all(visitors.map(one => one.more(20)))
    const changed = 'https://www.example.org/'
    const answer = await call(nodeFor(0).url, 'PATCH', `/v1/links/${body.alias}`, {
      token,
      body: { destination_url: changed },
    })
    expect(answer.status, answer.text).toBe(200)
    const answered_ms = performance.now()
    for (const one of visitors) {
      await one.more(20)
      const visits = await one.stop()
      expect(new Set(visits.map(({ location }) => location))).toEqual(new Set([target, changed]))
      const late = visits.filter(({ began_ms }) => began_ms > answered_ms)
      expect(new Set(late.map(({ location }) => location))).toEqual(new Set([changed]))
    }
  })

  test('members on three nodes see each message once and in one order', async () => {
    const tenant = await world.tenant()
    const people = await Promise.all(
      world.nodes.map(async ({ url }) => talkerOf(url, await world.member(tenant))),
    )
    const [ada] = people
    const id = (await ada?.group(people.slice(1))) ?? ''
    const sockets = await Promise.all(people.map(one => one.socket()))
    const sent = await Promise.all(
      upTo(60).map(n => (people[n % people.length] as Talker).send(id, `No. ${n}`)),
    )
    expect(statusesOf(sent)).toEqual([201])
    const order = sent
      .map(one => one?.body as { id: string; sequence: number })
      .toSorted((a, b) => a.sequence - b.sequence)
    for (const socket of sockets) {
      await socket.next('message.created', one => one.sequence === 60)
      expect(socket.messages(id).map(one => one.message.id)).toEqual(order.map(one => one.id))
      socket.close()
    }
  })

  test('jobs are worked on by several nodes, and each ends once', async () => {
    const member = await world.member()
    await world.allow(member, 'jobs.jobs.submit:*')
    const { token, tenant } = member
    const body = { type: 'demo.count', parameters: { to: 4, step_ms: 250 } }
    const answers = await onAll(45, 'POST', '/v1/jobs', () => ({ token, key: newKey(), body }))
    expect(statusesOf(answers)).toEqual([202])
    const ends = sql`
      select j.id from jobs.jobs j join jobs.job_events e on e.job_id = j.id
      where j.tenant_id = ${tenant.id} and e.type = 'succeeded'`
    await eventually('all have ended', async () => (await world.db.many(Ids, ends)).length >= 45)
    const found = (await world.db.many(Ids, ends)).map(({ id }) => id)
    expect(new Set(found).size).toBe(found.length)
    const { n: workers } = await world.db.one(
      Count,
      sql`
        select count(distinct worker_id)::int as n from jobs.job_attempts
        where tenant_id = ${tenant.id}`,
    )
    expect(workers).toBeGreaterThan(1)
  })

  test('a webhook is sent by one node, once', async () => {
    const owner = await world.member()
    await world.give(owner, 'tenant_admin')
    const { token, tenant } = owner
    const made = await call(world.url, 'POST', '/v1/webhook-subscriptions', {
      token,
      key: newKey(),
      body: {
        endpoint: `http://${world.network.tester}:${receiver.port}/once`,
        event_filter: { types: ['link.created'] },
        api_version: '2026-01',
      },
    })
    expect(made.status, made.text).toBe(201)
    const at = `/v1/webhook-subscriptions/${made.body.id}`
    await eventually('its challenge is answered', async () => {
      const { body } = await call(world.url, 'GET', at, { token })
      return body.state === 'active'
    })
    const body = { destination_url: target }
    await onAll(30, 'POST', '/v1/links', () => ({ token, key: newKey(), body }))
    const left = sql`
      select id from webhooks.deliveries
      where tenant_id = ${tenant.id} and state <> 'delivered'`
    await eventually('all came', () => receiver.of('/once').length >= 30)
    await eventually('all are recorded', async () => (await world.db.many(Ids, left)).length === 0)
    const came = receiver.of('/once').map(({ id }) => id)
    expect(new Set(came).size).toBe(30)
    expect(came).toHaveLength(30)
  })

  test('a file that one node took is completed by another and read from all', async () => {
    const { token } = await world.member()
    const bytes = newKey()
    const begun = await call(nodeFor(0).url, 'POST', '/v1/uploads', {
      token,
      key: newKey(),
      body: {
        expected_size: bytes.length,
        media_category: 'any',
        purpose: 'generic',
        checksum: sha256(Buffer.from(bytes)),
      },
    })
    expect(begun.status, begun.text).toBe(201)
    const sent = await fetch(reachable(world, begun.body.upload_url), {
      method: 'PUT',
      body: bytes,
    })
    expect(sent.status).toBe(200)
    const path = `/v1/uploads/${begun.body.id}`
    const done = await call(nodeFor(2).url, 'POST', `${path}/complete`, { token, body: {} })
    expect(done.status, done.text).toBe(202)
    const file = await eventually('the file is available', async () => {
      const { body } = await call(nodeFor(0).url, 'GET', path, { token })
      const { body: found } = await call(nodeFor(0).url, 'GET', `/v1/files/${body.file?.id}`, {
        token,
      })
      return found?.state === 'available' && found
    })
    for (const node of world.nodes) {
      const given = await call(node.url, 'GET', `/v1/files/${file.id}/download-url`, { token })
      const read = await fetch(reachable(world, given.body.url))
      expect(await read.text()).toBe(bytes)
    }
  })
})

function statusesOf(answers: readonly ({ status: number } | undefined)[]): number[] {
  return [...new Set(answers.map(one => one?.status ?? 0))]
}
