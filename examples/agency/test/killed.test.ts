/** The process is killed between any two lines: a booking is all there or not at all, and ends once. */
import { deepEqual, equal } from 'node:assert/strict'
import { after, test } from 'node:test'
import { eventually, killed, newKey, type World } from 'dodeca/testing'
import { again, agencyOf, book, ended, expectOk, found, openAgency, pay } from './agency-world.ts'

let world = await openAgency()
after(() => world.close())

/** A killed process holds its leases for a while. */
const minutes_max = 5

const times = (n: number) => ({ bookings: n, payments: n, rooms: n, workflows: n, created: n })
const all = (n: number) => ({ paid: n, paid_events: n, captured: n, messages: n, succeeded: n })

async function killBooking(point: string, left: number): Promise<void> {
  const { customer, service } = await agencyOf(world)
  const key = newKey()
  world = await killed(world, point, victim => book(victim.call, customer, service, key))
  deepEqual(await found(world, customer.tenant.id), times(left))
  equal((await book(world.call, customer, service, key)).status, 201)
  deepEqual(await found(world, customer.tenant.id), times(1))
}

for (const [point, left] of [
  ['kernel.before_commit', 0],
  ['kernel.after_commit', 1],
] as const) {
  test(`killed in a booking at ${point}: ${left} of everything, and the key books once`, () =>
    killBooking(point, left))
}

async function killWorkflow(point: string): Promise<void> {
  const { customer, service } = await agencyOf(world)
  const [key, pay_key] = [newKey(), newKey()]
  const buy = async (call: World['call']) => {
    const { id } = await expectOk(book(call, customer, service, key))
    await expectOk(pay(call, customer, id, { key: pay_key }))
  }
  world = await killed(world, point, victim => buy(victim.call))
  await buy(world.call)
  await allPaid(customer.tenant.id, 1)
}

for (const point of [
  'jobs.before_step',
  'jobs.after_step_effect',
  'jobs.before_step_commit',
  'jobs.after_step',
  'jobs.after_wait',
  'jobs.before_finalize',
  'jobs.after_finalize',
  'payments.before_call',
  'payments.after_call',
  'kernel.consumer',
]) {
  test(`killed in the workflow at ${point}: it goes on, and each effect happens once`, () =>
    killWorkflow(point))
}

async function allPaid(tenant_id: string, many: number): Promise<void> {
  const are_over = async () => (await ended(world, tenant_id)).succeeded === many
  await eventually(`${many} workflows end`, are_over, minutes_max * 60_000)
  await world.events({ tenant_id, type: 'booking.paid' }, many)
  deepEqual(await ended(world, tenant_id), all(many))
  deepEqual(await found(world, tenant_id), times(many))
}

const many = Number(process.env['AGENCY_BOOKINGS'] ?? 24)
const portion = Math.min(many, 50)
const points = [
  'kernel.before_commit',
  'jobs.after_step_effect',
  'payments.after_call',
  'kernel.after_commit',
  'jobs.after_step',
  'jobs.after_finalize',
  'jobs.before_finalize',
]

test(`${many} bookings under kills: each is paid once`, async () => {
  const { customer, service } = await agencyOf(world, 10_000)
  for (let begun = 0; begun < many; begun += portion) {
    const round = begun / portion
    // A session's token lives five minutes.
    const buyer = await again(world, customer)
    const keys = Array.from({ length: Math.min(portion, many - begun) }, () => newKey())
    const buyAll = (call: World['call']) =>
      Promise.all(
        keys.map(async key => {
          const { id } = await expectOk(book(call, buyer, service, key))
          await expectOk(pay(call, buyer, id, { key: `${key}:pay` }))
        }),
      )
    const point = points[round % points.length] ?? ''
    const nth = 1 + ((round * 7) % keys.length)
    world = await killed(world, point, victim => buyAll(victim.call), nth)
    await buyAll(world.call)
  }
  await allPaid(customer.tenant.id, many)
})
