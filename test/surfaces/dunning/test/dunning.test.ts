/** The reminders of an application, in weeks that pass at once. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { surface_names } from '../../../../src/app.ts'
import { composeApp } from '../../../../src/load-app.ts'
import type { Face as Jobs } from '../../../../src/surfaces/jobs/face.ts'
import { openProductWorld, type Member, type ProductWorld } from '../../../product-world.ts'
import { eventually } from '../../../world.ts'
import { dunning } from '../surface.ts'

let world: ProductWorld
let jobs: Jobs
let who: Member
beforeAll(async () => {
  world = await openProductWorld({}, await composeApp({ surfaces: [...surface_names, dunning] }))
  jobs = world.platform.opened['jobs']?.face as Jobs
  who = await world.member()
  await world.allow(who, 'jobs.jobs.read:*')
})
afterAll(() => world.close())

const weeks = (n: number) =>
  world.call('POST', '/dev/clock', { body: { offset_seconds: n * (7 * 86_400 + 60) } })

test('a person gets a reminder a week until the payment', async () => {
  const { db } = world.platform.kernelFor({ settings: {} })
  const intent_id = newId()
  const parameters = { intent_id, user_id: who.id }
  const tenant_id = who.tenant.id
  const order = { tenant_id, type: 'dunning.reminders', principal_id: who.id, parameters }
  const { id } = await db.tx(tx => jobs.submit(tx, order))
  const steps = async () => {
    const { body } = await world.call('GET', `/v1/jobs/${id}/steps`, { token: who.token })
    return body.data as { name: string; state: string }[]
  }
  const waits = async (attempts: number) => {
    const job = await jobs.view(db, { tenant_id, job_id: id })
    return job?.waiting_reason === 'step' && job.attempt_count === attempts
  }
  for (const n of [1, 2]) {
    await eventually(`week ${n} begins`, () => waits(n))
    await weeks(n)
  }
  await eventually('two reminders are sent', () => waits(3))
  await weeks(0)
  await db.tx(tx => {
    const data = {
      intent_id,
      operation_id: null,
      resource_id: null,
      order_ref: null,
      amount_minor: 4000,
      currency: 'EUR',
      state: 'captured',
      reason_code: null,
    }
    const of = { aggregate_type: 'payment', aggregate_id: intent_id, aggregate_version: 1 }
    return Promise.resolve(tx.emit({ type: 'payment.captured', tenant_id, ...of, data }))
  })
  await eventually('the run ends', async () => {
    const job = await jobs.view(db, { tenant_id, job_id: id })
    return job?.state === 'succeeded'
  })
  expect((await steps()).map(({ name, state }) => `${name} ${state}`)).toEqual([
    'paid 1 timed_out',
    'remind 1 done',
    'paid 2 timed_out',
    'remind 2 done',
    'paid 3 done',
  ])
})
