/** Work for the crawler: types of its own for each job, so that no other worker takes it. */
import type { Maker } from '../../../testing/contract/crawl.ts'
import type { Member, ProductWorld } from '../../../../test/product-world.ts'
import { newId, sql } from '#dodeca/kernel'

export type Making = Maker<ProductWorld, Member>

type Claimed = {
  readonly attempt: { readonly id: string; readonly lease_token: string }
  readonly version: number
}

const types = new Map<string, string>()
const leases = new Map<string, Claimed>()
const addresses = new Map<string, URLSearchParams>()

export async function jobType({ ask }: Making): Promise<string> {
  const type = `crawl.${newId()}`
  const body = { schema_version: 1, parameters_schema: { type: 'object' } }
  await ask('PUT', `/v1/job-types/${type}`, body)
  return type
}

/** It waits: no worker runs its type yet. */
export async function job(maker: Making): Promise<string> {
  const type = await jobType(maker)
  const { id } = await maker.ask('POST', '/v1/jobs', { type })
  types.set(id, type)
  return id
}

/** The platform has no workflows of its own: the job becomes one. */
export async function asRun({ world, person }: Making, job_id: string | undefined): Promise<void> {
  const { db } = world.platform.kernelFor({ settings: {} })
  await db.run(sql`
    insert into jobs.runs (tenant_id, job_id, from_position)
    values (${person.tenant.id}, ${job_id}, 0)
    on conflict do nothing`)
}

export async function worker({ ask, ...maker }: Making): Promise<string> {
  return await workerFor({ ask, ...maker }, await jobType({ ask, ...maker }))
}

async function workerFor({ ask }: Making, type: string): Promise<string> {
  const id = newId()
  await ask('PUT', `/v1/workers/${id}`, { capabilities: [{ type, versions: [1] }] })
  return id
}

async function start(maker: Making, job_id: string): Promise<Claimed> {
  const worker_id = await workerFor(maker, types.get(job_id) ?? '')
  const claim = { claim_id: newId(), max_jobs: 1, wait_seconds: 20 }
  const { jobs } = await maker.ask('POST', `/v1/workers/${worker_id}/claims`, claim)
  leases.set(jobs[0].attempt.id, jobs[0])
  return jobs[0]
}

export async function attempt(maker: Making): Promise<string> {
  return (await start(maker, await job(maker))).attempt.id
}

export function lease(attempt_id: string | undefined) {
  const found = leases.get(attempt_id ?? '')
  if (!found) throw new Error(`the crawler has not claimed ${attempt_id}`)
  return { lease_token: found.attempt.lease_token, version: found.version }
}

export async function finish(maker: Making, job_id: string | undefined): Promise<void> {
  const { attempt, version } = await start(maker, job_id ?? '')
  const { lease_token } = attempt
  const end = { lease_token, version, outcome: 'succeeded', result: { rows: 1 } }
  await maker.ask('POST', `/v1/job-attempts/${attempt.id}/finalize`, end)
}

/** The id of a result; each holder of its address may fetch it. */
export async function result(maker: Making): Promise<string> {
  const id = await job(maker)
  await finish(maker, id)
  const { url } = await maker.ask('GET', `/v1/jobs/${id}/result-url`)
  const { pathname, searchParams } = new URL(url)
  const result_id = pathname.split('/').at(-1) ?? ''
  addresses.set(result_id, searchParams)
  return result_id
}

export function signature(result_id: string | undefined): Record<string, string> {
  return Object.fromEntries(addresses.get(result_id ?? '') ?? [])
}
