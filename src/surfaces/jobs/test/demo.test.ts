/** The type to try things out with does what the page on jobs says of it; and the demo tenants have jobs. */
import { afterAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { openProductWorld } from '../../../../test/product-world.ts'
import { openAskingWorld } from './asking-world.ts'

const world = await openAskingWorld()
afterAll(async () => {
  await world.check()
  await world.close()
})

async function counting(parameters: object) {
  const who = await world.person()
  return { who, id: await world.submit(who, { type: 'demo.count', parameters }) }
}

describe.concurrent('demo.count', () => {
  test('counts, tells how far it is, and leaves what it has counted', async () => {
    const { who, id } = await counting({ to: 7 })
    const job = await world.reached(who, id, 'succeeded')
    expect(job.progress).toMatchObject({ stage: 'counting', current: 7, total: 7 })
    const { body } = await world.call('GET', `/v1/jobs/${id}/result-url`, { token: who.token })
    const result = await world.call('GET', body.url.replace('http://dodeca.test', ''))
    expect(result.body).toEqual({ counted: 7, attempt_no: 1, job_id: id })
  })

  test('stops between two steps when it is cancelled', async () => {
    const { who, id } = await counting({ to: 1000, step_ms: 100 })
    await eventually(
      'it counts',
      async () => (await world.show(who, id)).body.progress?.current > 1,
    )
    await world.call('POST', `/v1/jobs/${id}/cancel`, { token: who.token })
    const job = await world.reached(who, id, 'cancelled')
    expect(job.progress.current).toBeLessThan(1000)
  })

  test('fails at a given step, or in a number of attempts', async () => {
    const once = await counting({ to: 5, fail_at: 3 })
    const job = await world.reached(once.who, once.id, 'failed')
    expect([job.error.code, job.attempt_count]).toEqual(['counting_failed', 1])
    const twice = await counting({ to: 5, fail_at: 3, failures: 2 })
    const done = await world.reached(twice.who, twice.id, 'succeeded')
    expect(done.attempt_count).toBe(3)
  })

  test('continues where the previous attempt stopped', async () => {
    const { who, id } = await counting({ to: 12, step_ms: 100, fail_at: 8, failures: 1 })
    await world.reached(who, id, 'succeeded')
    const steps = await world.query<{ current: string }>(
      'select current from jobs.job_progress where job_id = $1 order by sequence',
      [id],
    )
    // It saves at 5 and fails at 8: the second attempt begins with 6.
    const numbers = steps.map(one => Number(one.current))
    expect(numbers).toContain(5)
    const later = numbers.slice(numbers.indexOf(5) + 1)
    expect(Math.min(...later)).toBeGreaterThan(5)
    expect(numbers.at(-1)).toBe(12)
  })

  test.each([{ to: 0 }, { to: 'many' }, { step_ms: -1 }, { to: 1.5 }])(
    'refuses %j',
    async parameters => {
      const { status } = await world.order(await world.person(), { type: 'demo.count', parameters })
      expect(status).toBe(422)
    },
  )
})

test('the demo tenants have jobs in every state, made once', async () => {
  const product = await openProductWorld()
  try {
    const seed = async () => {
      const made = await product.platform.seed()
      return made.filter(line => line.includes('jobs'))
    }
    expect(await seed()).toEqual(['5 jobs and a schedule (acme)', '5 jobs and a schedule (globex)'])
    expect(await seed()).toEqual([])
    const login = await product.call('POST', '/v1/sessions', {
      body: {
        email: 'tenant-admin@acme.example',
        password: 'every demo begins somewhere',
        tenant: 'acme',
      },
    })
    const token = login.body.access_token
    await eventually('they have ended', async () => {
      const { body } = await product.call('GET', '/v1/jobs?type=demo.count', { token })
      const states = body.data.map((one: { state: string }) => one.state).toSorted()
      return states.join() === 'failed,failed,succeeded,succeeded,succeeded'
    })
    const { body } = await product.call('GET', '/v1/job-schedules', { token })
    expect(body.data.map((one: { name: string }) => one.name)).toEqual(['nightly-count'])
  } finally {
    await product.close()
  }
})
