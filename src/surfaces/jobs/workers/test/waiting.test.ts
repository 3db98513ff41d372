/** Workers that wait for jobs. One test after the other: each wake-up makes them look for jobs. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import pg from 'pg'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../../test/world.ts'
import { newId } from '#dodeca/kernel'
import { openAskingWorld } from '../../test/asking-world.ts'
import { workshop } from '../../test/worker.ts'

// Only a wake-up, or the end of a request, makes a worker look.
const world = await openAskingWorld({ JOBS_POLL_MS: '60000' })
afterAll(async () => {
  await world.check()
  await world.close()
})

describe('a worker that waits', () => {
  test('gets a job as soon as it is there', async () => {
    const { worker, submit } = await workshop(world)
    const waiting = worker.take({ wait_seconds: 20 })
    await eventually('the claim waits', async () => {
      const [row] = await world.query<{ waits: boolean }>(
        'select count(*) > 0 as waits from jobs.worker_capabilities where worker_id = $1',
        [worker.id],
      )
      return row?.waits
    })
    const id = await submit()
    expect((await waiting).job.id).toBe(id)
  })

  test('gets no job after its owner has lost the right, and no lease again', async () => {
    const { type, worker, owner, submit } = await workshop(world)
    const other = await world.idleType()
    await worker.register(type, other)
    const colleague = await world.person(['jobs.jobs.submit:*', 'jobs.jobs.read:*'], owner.tenant)
    await submit()
    const claim = { claim_id: newId(), wait_seconds: 0 }
    expect((await worker.claim(claim)).body.jobs).toHaveLength(1)
    const seen = `update jobs.worker_capabilities set last_seen_at = now() - interval '1 min'
      where worker_id = $1`
    await world.query(seen, [worker.id])
    const waiting = worker.claim({ wait_seconds: 5 })
    await eventually('the claim has begun', async () => {
      const [row] = await world.query<{ begun: boolean }>(
        `select max(last_seen_at) > now() - interval '50 s' as begun
         from jobs.worker_capabilities where worker_id = $1`,
        [worker.id],
      )
      return row?.begun
    })
    await world.query('delete from identity.role_assignments where account_id = $1', [owner.id])
    await world.allow(owner, `jobs.workers.claim:${other}`)
    const holder = { tenant_id: owner.tenant.id, principal_id: owner.id }
    await eventually('the right is forgotten', async () => {
      const [grants] = await world.identity.recentGrantsOf([holder])
      return !grants?.has(`jobs.workers.claim:*`)
    })
    const id = await world.submit(colleague, { type })
    const wanted = await world.submit(colleague, { type: other })
    expect((await waiting).body.jobs).toMatchObject([{ job: { id: wanted } }])
    expect((await world.show(colleague, id)).body.state).toBe('pending')
    expect((await worker.claim(claim)).body.jobs).toEqual([])
  })

  test('that leaves takes no job with it', async () => {
    const { worker, submit } = await workshop(world)
    const id = await submit({ scheduled_at: new Date(Date.now() + 3_600_000).toISOString() })
    const claim_id = newId()
    const held = await holdClaim(claim_id)
    const left = new AbortController()
    const waiting = worker
      .claim({ claim_id, wait_seconds: 20 }, { signal: left.signal })
      .then(({ text }) => text)
      .catch(() => 'left')
    await held.waits(1)
    await held.passes()
    // Ready without a wake-up, so that only the end of the request looks for it.
    await world.query('update jobs.job_queue set wake_at = null where job_id = $1', [id])
    left.abort()
    expect(await waiting).toBe('left')
    const taken = await worker.take()
    expect([taken.job.id, taken.attempt.attempt_no]).toEqual([id, 1])
    await worker.finish(taken)
  })

  test('that leaves while it is claiming gives the job back at once', async () => {
    const { worker, submit } = await workshop(world, { lease_seconds: 300 })
    const id = await submit()
    const { held } = await leaveWhileClaiming(worker)
    await held.end()
    const expected = ['submitted', 'started', 'released']
    await eventually('the job is released', async () => {
      return (await world.history(id)).join() === expected.join()
    })
    const taken = await worker.take()
    expect([taken.job.id, taken.attempt.attempt_no]).toEqual([id, 2])
    expect((await worker.finish(taken)).status).toBe(200)
  })

  test('that repeats its claim keeps the job, although the first connection broke', async () => {
    const { worker, submit } = await workshop(world, { lease_seconds: 300 })
    const id = await submit()
    const { claim, held } = await leaveWhileClaiming(worker)
    const repeated = worker.take(claim)
    await held.waits(2)
    await held.end()
    const taken = await repeated
    // The first request has ended when nothing waits for the claim any more.
    await held.waits(0)
    expect((await worker.finish(taken)).status).toBe(200)
    expect(await world.history(id)).toEqual(['submitted', 'started', 'succeeded'])
  })
})

/** The worker disconnects while its claim waits in the database. */
async function leaveWhileClaiming(worker: Awaited<ReturnType<typeof workshop>>['worker']) {
  const claim = { claim_id: newId(), wait_seconds: 0 }
  const held = await holdClaim(claim.claim_id)
  const left = new AbortController()
  const served = nextRequest(`/v1/workers/${worker.id}/claims`)
  const claiming = worker.claim(claim, { signal: left.signal }).catch(() => 'left')
  const closed = once(await served, 'close')
  await held.waits(1)
  left.abort()
  expect(await claiming).toBe('left')
  // The platform has seen the end of the connection.
  await closed
  return { claim, held }
}

/** The response to the next request with this path, as the platform has it. */
function nextRequest(path: string): Promise<ServerResponse> {
  const channel = 'http.server.request.start'
  const next = Promise.withResolvers<ServerResponse>()
  const listen = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    if (request.url !== path) return
    unsubscribe(channel, listen)
    next.resolve(response)
  }
  subscribe(channel, listen)
  return next.promise
}

/** Holds every request with this claim back, until it ends. */
async function holdClaim(claim_id: string) {
  const client = new pg.Client({ connectionString: world.database_url })
  await client.connect()
  onTestFinished(() => client.end())
  const key = `hashtext('jobs.claim'), hashtext('${claim_id}')`
  await client.query(`select pg_advisory_lock(${key})`)
  const end = () => client.query(`select pg_advisory_unlock(${key})`)
  return {
    end,
    /** Lets the requests that wait go on, until their transactions have ended. */
    passes: async () => {
      await end()
      await client.query(`select pg_advisory_lock(${key})`)
      await end()
    },
    waits: (many: number) =>
      eventually(`${many} requests wait for the claim`, async () => {
        const [row] = await world.query<{ n: number }>(
          `select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted
             and objid = hashtext($1)::oid`,
          [claim_id],
        )
        return row?.n === many
      }),
  }
}
