/** Routes that submit jobs: one, or several that may wait for each other. */
import {
  allowsType,
  batch_members_max,
  fingerprint,
  lacks,
  narrowSession,
  Problem,
  reply,
  routesOf,
  sql,
} from '#dodeca/kernel'
import type { Principal, RequestFacts, Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { JobOrder } from '../face.ts'
import { JobView } from '../schemas.ts'
import { tagOf } from './entity-tag.ts'
import { readsOf } from './find-job.ts'
import { viewJob, viewJobs } from './view-job.ts'
import { BatchView, SubmitBatch, SubmitJob, instead_of_jobs } from './schemas.ts'
import { submittableTypes } from '../types/list-types.ts'
import { submitBatch } from './submit-batch.ts'
import { submitJob } from './submit-job.ts'

const fails = [
  'content_too_large',
  'validation_failed',
  'unknown_job_type',
  'unsupported_schema_version',
  'input_not_available',
  'dependency_unknown',
  'deadline_in_past',
  'quota_exceeded',
  'idempotency_key_reused',
] as const

type Asking = { tx: Tx; deps: Deps; grants(): Promise<ReadonlySet<string>> }

const named_max = 20

const { open, post } = routesOf<Deps>()

export const submitRoutes = open({
  submitJob: post(
    '/v1/jobs',
    'Submit a job',
    {
      tool: 'write',
      sends: ['etag', 'location'],
      description:
        'The job is stored before the reply is sent. Read its state at `Location`, or watch its events.',
      permission: 'jobs.jobs.submit:{body.type}',
      idempotency: 'required',
      body: SubmitJob,
      instead: instead_of_jobs,
      replies: { 202: JobView },
      fails,
    },
    async ({ tx, principal, grants, body, request }, deps) => {
      const order = { ...body, ...orderedBy(principal, 'POST /v1/jobs', body) }
      const reads = await readsOf(deps, { principal, grants })
      const { id } = await namingTypes({ tx, deps, grants }, () => {
        requireOffered(deps, body)
        return submitJob(tx, deps, { ...order, idempotency_key: keyOf(request) }, reads)
      })
      const job = await viewJob(tx, deps, { tenant_id: principal.tenant_id, job_id: id })
      if (!job) throw problem('job_not_found')
      return reply(202, job, { location: `/v1/jobs/${id}`, etag: tagOf(job) })
    },
  ),

  submitJobBatch: post(
    '/v1/job-batches',
    'Submit jobs that may wait for each other, all or none',
    {
      sends: ['location'],
      permission: 'jobs.jobs.submit',
      added: true,
      idempotency: 'required',
      body: SubmitBatch,
      body_members_max: batch_members_max,
      instead: instead_of_jobs,
      replies: { 202: BatchView },
      fails: [...fails, 'permission_denied', 'dependency_cycle'],
    },
    async ({ tx, principal, grants, body, request }, deps) => {
      const held = await grants()
      for (const one of body.jobs) {
        if (allowsType(held, 'jobs.jobs.submit', one.type)) continue
        throw lacks(`jobs.jobs.submit:${one.type}`)
      }
      const common = orderedBy(principal, 'POST /v1/job-batches', body)
      const reads = await readsOf(deps, { principal, grants })
      const ids = await namingTypes({ tx, deps, grants }, () => {
        for (const one of body.jobs) requireOffered(deps, one)
        return submitBatch(tx, deps, body.jobs, common, keyOf(request), reads)
      })
      const views = await viewJobs(
        tx,
        deps,
        sql`select id, tenant_id from jobs.jobs
          where tenant_id = ${principal.tenant_id} and id = any(${[...ids.values()]}::uuid[])`,
      )
      const byId = new Map(views.map(one => [one.id, one]))
      const jobs: Record<string, (typeof views)[number]> = {}
      for (const { ref } of body.jobs) {
        const view = byId.get(ids.get(ref) ?? '')
        if (view) jobs[ref] = view
      }
      const first = ids.get(body.jobs[0]?.ref ?? '') ?? ''
      return reply(202, { status: 'queued' as const, jobs }, { location: `/v1/jobs/${first}` })
    },
  ),
})

/** The order of properties does not matter, as in the kernel's own records. */
function orderedBy(principal: Principal, operation: string, body: unknown) {
  return {
    tenant_id: principal.tenant_id,
    principal_id: principal.id,
    session_id: narrowSession(principal),
    operation,
    request_fingerprint: fingerprint({
      tenant_id: principal.tenant_id,
      operation,
      params: {},
      query: {},
      media_type: 'application/json',
      body,
    }),
  }
}

function keyOf({ headers }: RequestFacts): string {
  return String(headers['idempotency-key'])
}

/** Another surface submits its own work and checks its own rights and quotas. */
function requireOffered({ types }: Deps, order: Pick<JobOrder, 'type' | 'schema_version'>): void {
  const versions = types.builtIns().filter(one => one.type === order.type)
  if (versions.length > 0 && !versions.some(one => one.offered)) throw problem('unknown_job_type')
}

/** If the type is unknown, the refusal lists the types that the caller may submit. */
async function namingTypes<T>({ tx, deps, grants }: Asking, submit: () => Promise<T>): Promise<T> {
  try {
    return await submit()
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'unknown_job_type') throw error
    const held = await grants()
    const types = await submittableTypes(tx, deps)
    const mine = types.filter(type => allowsType(held, 'jobs.jobs.submit', type))
    const names = mine.slice(0, named_max).map(type => `\`${type}\``)
    const detail =
      names.length > 0
        ? `No job type of this name can be submitted. You may submit ${names.join(', ')}.`
        : 'No job type of this name can be submitted, and you may submit none of the others.'
    throw problem('unknown_job_type', { detail }, { cause: error })
  }
}
