/** What a surface of an application may call, and what it cannot reach: payments and rooms. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId, sql, type Tx } from '#dodeca/kernel'
import { count } from '../../src/kernel/events/test/process.ts'
import { eventually, newKey, type Member, type World } from '../../src/testing/entry.ts'
import { openAgency, portsOf, type Ports } from './agency-world.ts'

let world: World
let ports: Ports
let alice: Member
let bob: Member
/** Of another tenant. */
let eve: Member
beforeAll(async () => {
  world = await openAgency()
  ports = portsOf(world)
  alice = await world.member()
  bob = await world.member(alice.tenant)
  eve = await world.member()
})
afterAll(() => world.close())

const commit = <T>(work: (tx: Tx) => Promise<T>) => world.platform.kernel.db.tx(work)
const order = (more: object = {}) => ({
  tenant_id: alice.tenant.id,
  amount_minor: 5000,
  currency: 'EUR',
  ...more,
})
const intent = async (more: object = {}) =>
  (await commit(tx => ports.payments.createIntent(tx, order(more)))).id

test('it has the functions of `Face`, and none of `Inside`', () => {
  const names = Object.fromEntries(
    Object.entries(ports).map(([port, face]) => [port, Object.keys(face ?? {}).toSorted()]),
  )
  expect(names).toEqual({
    people: ['grantsOf', 'membersOf', 'recipients'],
    jobs: ['cancel', 'signal', 'submit', 'view'],
    files: [
      'createUpload',
      'plugCompleted',
      'plugReaders',
      'prepareUpload',
      'read',
      'remove',
      'requireAvailable',
      'signDownload',
    ],
    messages: ['notify'],
    payments: ['begin', 'createIntent', 'find', 'refuseCardData'],
    rooms: ['open', 'send'],
    links: [],
  })
})

test('what it is given has no way to what is inside', () => {
  const { links: _off, ...on } = ports as Ports & { links: undefined }
  for (const face of Object.values(on)) {
    expect(Object.getPrototypeOf(face)).toBe(Object.prototype)
    for (const one of Object.values(face as object)) expect(typeof one).toBe('function')
  }
})

describe('a payment', () => {
  test('of the same order is one, also at once; another order with its id is refused', async () => {
    const id = newId()
    const made = await Promise.all(
      Array.from({ length: 10 }, () =>
        commit(tx => ports.payments.createIntent(tx, order({ id, order_ref: 'one' }))),
      ),
    )
    expect(made.filter(one => !one.existing)).toHaveLength(1)
    expect(await count(world.db, sql`from payments.payment_intents where id = ${id}`)).toBe(1)
    await expect(intent({ id, amount_minor: 5001 })).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    })
    // The ids of one tenant say nothing about those of another.
    await intent({ id, tenant_id: eve.tenant.id })
    expect(await count(world.db, sql`from payments.payment_intents where id = ${id}`)).toBe(2)
  })

  test('is moved in the commit of the caller; the event has the operation', async () => {
    const [id, authorize, capture, refund] = [await intent(), newId(), newId(), newId()]
    const common = { tenant_id: alice.tenant.id, intent_id: id }
    const begin = (tx: Tx) =>
      ports.payments.begin(tx, {
        ...common,
        operation_id: authorize,
        type: 'authorize',
        payment_method: 'pm_card_visa',
        customer_account_id: bob.id,
      })
    expect(await commit(begin)).toEqual({ operation_id: authorize, existing: false })
    expect(await commit(begin)).toEqual({ operation_id: authorize, existing: true })
    const state = (wanted: string) =>
      eventually(wanted, async () => {
        const found = await ports.payments.find(world.db, { tenant_id: common.tenant_id, id })
        return found?.state === wanted
      })
    await state('authorized')
    await commit(tx =>
      ports.payments.begin(tx, { ...common, operation_id: capture, type: 'capture' }),
    )
    await state('captured')
    await commit(tx =>
      ports.payments.begin(tx, {
        ...common,
        operation_id: refund,
        type: 'refund',
        amount_minor: 2000,
      }),
    )
    const events = await world.events({ type: 'refund.succeeded', tenant_id: common.tenant_id })
    expect(events.at(-1)?.data).toMatchObject({ operation_id: refund, amount_minor: 2000 })
    const captured = await world.events({ type: 'payment.captured', aggregate_id: id })
    expect(captured.map(one => one.data)).toMatchObject([{ operation_id: capture }])
  })

  test('that is void is released, and another order with the id of an operation is refused', async () => {
    const [id, operation_id] = [await intent(), newId()]
    const asked = { tenant_id: alice.tenant.id, intent_id: id, operation_id }
    await commit(tx => ports.payments.begin(tx, { ...asked, type: 'void' }))
    const found = await ports.payments.find(world.db, { tenant_id: alice.tenant.id, id })
    expect(found?.state).toBe('cancelled')
    const other = commit(tx => ports.payments.begin(tx, { ...asked, type: 'capture' }))
    await expect(other).rejects.toMatchObject({ code: 'idempotency_key_reused' })
    const foreign = { ...asked, tenant_id: eve.tenant.id, type: 'void' } as const
    await expect(commit(tx => ports.payments.begin(tx, foreign))).rejects.toMatchObject({
      code: 'payment_intent_not_found',
    })
  })

  test('takes no card number', async () => {
    const common = { tenant_id: alice.tenant.id, intent_id: await intent() }
    const card = { ...common, type: 'authorize', payment_method: '4242 4242 4242 4242' } as const
    await expect(commit(tx => ports.payments.begin(tx, card))).rejects.toMatchObject({
      code: 'card_data_refused',
    })
  })
})

test('a face that refuses can be caught: nothing of it stays, and the rest commits', async () => {
  const [kept, lost] = [newId(), newId()]
  await commit(async tx => {
    await ports.payments.createIntent(tx, order({ id: kept }))
    const room = { id: lost, tenant_id: alice.tenant.id, member_ids: [alice.id] }
    await ports.rooms.open(tx, room)
    // The second room has the same id and other members: PostgreSQL refuses it.
    await expect(
      Promise.all([
        ports.rooms.open(tx, { ...room, member_ids: [bob.id] }),
        ports.payments.createIntent(tx, order({ id: lost, currency: 'XXX' })),
      ]),
    ).rejects.toThrow()
    await expect(
      ports.rooms.send(tx, { tenant_id: alice.tenant.id, conversation_id: newId(), body: 'a' }),
    ).rejects.toMatchObject({ code: 'conversation_not_found' })
    await ports.rooms.send(tx, { tenant_id: alice.tenant.id, conversation_id: lost, body: 'b' })
  })
  const rows = async (table: 'payment' | 'message', id: string) =>
    table === 'payment'
      ? await count(world.db, sql`from payments.payment_intents where id = ${id}`)
      : await count(world.db, sql`from chat.messages where conversation_id = ${id}`)
  expect([await rows('payment', kept), await rows('payment', lost)]).toEqual([1, 0])
  expect(await rows('message', lost)).toBe(1)
})

describe('a room', () => {
  const room = () => ({ id: newId(), tenant_id: alice.tenant.id, member_ids: [alice.id, bob.id] })

  test('is opened once, for people of the tenant', async () => {
    const given = room()
    const open = (one: object = {}) => commit(tx => ports.rooms.open(tx, { ...given, ...one }))
    const both = await Promise.all([open(), open()])
    expect(both.filter(one => one.existing)).toHaveLength(1)
    await expect(open({ title: 'Other' })).rejects.toMatchObject({ code: 'idempotency_key_reused' })
    const foreign = { id: newId(), member_ids: [eve.id] }
    await expect(open(foreign)).rejects.toMatchObject({ code: 'member_unknown' })
  })

  test('has messages of its members and of the application, each once', async () => {
    const given = room()
    const { id: conversation_id, tenant_id } = given
    await commit(tx => ports.rooms.open(tx, given))
    const send = (more: { id?: string; sender_id?: string; body: string; tenant_id?: string }) =>
      commit(tx => ports.rooms.send(tx, { tenant_id, conversation_id, ...more }))
    const id = newId()
    const [first, again] = [await send({ id, body: 'one' }), await send({ id, body: 'one' })]
    expect([again.id, again.existing]).toEqual([first.id, true])
    await expect(send({ id, body: 'two' })).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    })
    await send({ sender_id: bob.id, body: 'from Bob' })
    await expect(send({ sender_id: eve.id, body: 'x' })).rejects.toMatchObject({
      code: 'conversation_not_found',
    })
    await expect(send({ tenant_id: eve.tenant.id, body: 'x' })).rejects.toMatchObject({
      code: 'conversation_not_found',
    })
    const path = `/v1/conversations/${conversation_id}/messages`
    const { body } = await world.call('GET', path, { token: alice.token })
    const said = body.data.map((one: { body: string; sender_id: string }) => [
      one.body,
      one.sender_id,
    ])
    expect(said.toSorted()).toEqual([
      ['from Bob', bob.id],
      ['one', '00000000-0000-0000-0000-000000000000'],
    ])
    const reply = { token: alice.token, key: newKey(), body: { body: 'thanks' } }
    expect((await world.call('POST', path, reply)).status).toBe(201)
  })
})
