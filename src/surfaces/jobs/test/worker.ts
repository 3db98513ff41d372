/** A worker outside, as a program of another author would be: it knows nothing but HTTP. */
import { newId } from '#dodeca/kernel'
import type { Member } from '../../../../test/product-world.ts'
import type { Answer, Ask } from '../../../../test/world.ts'
import { all_of_jobs, type AskingWorld } from './asking-world.ts'

export type Claimed = {
  job: { id: string; version: number; state: string }
  parameters?: unknown
  attempt: { id: string; attempt_no: number; lease_token: string; leased_until: string }
  version: number
  checkpoint: unknown
}

export type Worker = {
  readonly id: string
  readonly owner: Member
  register(...types: string[]): Promise<Answer>
  claim(more?: object, ask?: Ask): Promise<Answer>
  /** Claims one job that must be there. */
  take(more?: object): Promise<Claimed>
  beat(...claimed: Claimed[]): Promise<Answer>
  progress(claimed: Claimed, step: object): Promise<Answer>
  store(claimed: Claimed, bytes: string, media_type?: string): Promise<Answer>
  finish(claimed: Claimed, more?: object): Promise<Answer>
}

type Asks = Pick<AskingWorld, 'call'>

export function workerOf({ call }: Asks, owner: Member, id = newId()): Worker {
  const { token } = owner
  const claim: Worker['claim'] = (more = {}, ask = {}) =>
    call('POST', `/v1/workers/${id}/claims`, {
      token,
      body: { claim_id: newId(), max_jobs: 1, wait_seconds: 10, ...more },
      ...ask,
    })
  return {
    id,
    owner,
    claim,
    register: (...types) =>
      call('PUT', `/v1/workers/${id}`, {
        token,
        body: { capabilities: types.map(type => ({ type, versions: [1] })) },
      }),
    take: async more => {
      const { status, text, body } = await claim(more)
      if (status !== 200 || body.jobs.length !== 1) throw new Error(`no job to take: ${text}`)
      return body.jobs[0]
    },
    beat: (...claimed) =>
      call('POST', `/v1/workers/${id}/heartbeats`, {
        token,
        body: {
          leases: claimed.map(({ attempt }) => ({
            attempt_id: attempt.id,
            lease_token: attempt.lease_token,
          })),
        },
      }),
    progress: ({ attempt }, step) =>
      call('POST', `/v1/job-attempts/${attempt.id}/progress`, {
        token,
        body: { lease_token: attempt.lease_token, ...step },
      }),
    store: ({ attempt }, bytes, media_type = 'text/csv') =>
      call('PUT', `/v1/job-attempts/${attempt.id}/result`, {
        token,
        body: bytes,
        headers: { 'content-type': media_type, 'job-lease-token': attempt.lease_token },
      }),
    finish: ({ attempt, version }, more = {}) =>
      call('POST', `/v1/job-attempts/${attempt.id}/finalize`, {
        token,
        body: { lease_token: attempt.lease_token, version, outcome: 'succeeded', ...more },
      }),
  }
}

/** A member who may do everything with jobs of their tenant, and run them too. */
export async function workman(world: AskingWorld): Promise<Member> {
  return await world.person([...all_of_jobs, 'jobs.workers.claim:*', 'jobs.schedules.write:*'])
}

/** A new type, its only worker, and the owner of both. */
export async function workshop(world: AskingWorld, rules: object = {}) {
  const type = await world.idleType(rules)
  const owner = await workman(world)
  const worker = workerOf(world, owner)
  const { status, text } = await worker.register(type)
  if (status !== 200) throw new Error(`no worker: ${text}`)
  return { type, owner, worker, submit: (more = {}) => world.submit(owner, { type, ...more }) }
}
