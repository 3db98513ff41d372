/**
 * Routes of calls in jobs. Job and call are one object with two ids. The `id` in replies is the id
 * of the job.
 */
import { Type } from 'typebox'
import {
  batch_members_max,
  closed,
  Id,
  narrowSession,
  newId,
  nullable,
  oneOf,
  reply,
  routesOf,
  sql,
  Time,
} from '#dodeca/kernel'
import type { Principal, Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { readAsked } from '../inferences/schemas.ts'
import { call_fails } from '../inferences/routes.ts'
import { takeBody } from '../operations/memory.ts'
import { draftCall } from '../operations/draft-call.ts'
import { readOperationOfJob, type OperationRow } from '../operations/read-operation.ts'
import { viewOf } from '../operations/view.ts'
import { asked, InferenceView, instead_of_calls } from '../schemas.ts'
import { deadline_default_ms, submitCall } from './submit-call.ts'

const path = '/v1/inference-jobs'
const absent = 'job_not_found'
const day_ms = 86_400_000
const priorities = { low: 2, normal: 5, high: 8 } as const

const CreateJob = closed(
  {
    ...asked,
    priority: Type.Optional(oneOf('low', 'normal', 'high')),
    deadline_at: Type.Optional(Time),
  },
  { title: 'CreateInferenceJob' },
)

const CreatedJob = Type.Object(
  {
    id: Id,
    job_id: Id,
    operation_id: Id,
    state: Type.Literal('pending'),
    status: Type.Literal('queued'),
    status_url: Type.String(),
    created_at: Time,
    deadline_at: Time,
  },
  { title: 'CreatedInferenceJob' },
)

const AttemptView = Type.Object({
  attempt: Type.Integer(),
  deployment_id: Id,
  state: oneOf('started', 'succeeded', 'failed', 'aborted', 'ambiguous'),
  error_code: nullable(Type.String()),
  latency_ms: nullable(Type.Integer()),
})

const Progress = Type.Object({
  sequence: Type.Integer(),
  stage: Type.String(),
  current: Type.Integer(),
  total: nullable(Type.Integer()),
  message_code: nullable(Type.String()),
  recorded_at: Time,
})

const JobView = Type.Object(
  {
    id: Id,
    job_id: Id,
    operation_id: Id,
    state: Type.String(),
    status: Type.String(),
    progress: nullable(Progress),
    cancel_requested_at: nullable(Time),
    result: nullable(InferenceView),
    error: nullable(Type.Object({ code: Type.String() })),
    attempts: Type.Array(AttemptView, { maxItems: 200 }),
    created_at: Time,
    started_at: nullable(Time),
    completed_at: nullable(Time),
    deadline_at: nullable(Time),
  },
  { title: 'InferenceJob' },
)

const { open, get, post } = routesOf<Deps>({ permission: 'inference.jobs.create', absent })

export const inferenceJobRoutes = open({
  createInferenceJob: post(
    path,
    'Call a model in a job',
    {
      sends: ['location'],
      description:
        'You can also read and cancel the job under `/v1/jobs/{job_id}`, and it emits the events of jobs. Jobs count against the daily limits.',
      idempotency: 'required',
      body_limit_bytes: 4 * 1024 * 1024,
      takesBody: takeBody,
      body_members_max: batch_members_max,
      body: CreateJob,
      instead: instead_of_calls,
      replies: { 202: CreatedJob },
      fails: [...call_fails, 'deadline_in_past'],
    },
    {
      prepare: async ({ principal, body, key, request }, deps) => {
        const { priority: _priority, deadline_at, ...rest } = body
        return await draftCall(deps, {
          ...(await readAsked(deps.kernel, rest, request)),
          tenant_id: principal.tenant_id,
          actor_id: principal.id,
          scope: principal.scope,
          asking: { principal, ip: request.ip },
          key,
          prompt: 'plain@1',
          workload: 'inference_job',
          class: 'job',
          waits: true,
          deadline_ms: deadlineOf(deps, deadline_at),
        })
      },
      handle: async ({ tx, principal, body: { priority = 'normal' }, prepared }, deps) => {
        const [id, job_id] = [newId(), newId()]
        const call = await submitCall(tx, deps, prepared, {
          id,
          job_id,
          tenant_id: principal.tenant_id,
          principal_id: principal.id,
          session_id: narrowSession(principal),
          priority: priorities[priority],
        })
        const status_url = `${path}/${job_id}`
        const { created_at } = call
        return reply(
          202,
          {
            id: job_id,
            job_id,
            operation_id: id,
            state: 'pending' as const,
            status: 'queued' as const,
            status_url,
            created_at,
            deadline_at: call.deadline_at,
          },
          { location: status_url },
        )
      },
    },
  ),

  getInferenceJob: get(
    `${path}/{job_id}`,
    'Get a call in a job, with its result',
    { reply: JobView },
    async ({ tx, principal, params: { job_id }, request }, deps) => {
      const view = await show(tx, deps, principal, { job_id, request_id: request.id })
      return reply(200, view, view.completed_at === null ? { 'retry-after': '1' } : {})
    },
  ),

  cancelInferenceJob: post(
    `${path}/{job_id}/cancel`,
    'Cancel a call in a job',
    {
      sends: ['location'],
      description: 'A waiting call ends immediately. A running call stops within a second.',
      replies: { 200: JobView, 202: JobView },
      fails: ['invalid_transition'],
    },
    async ({ tx, principal, params: { job_id }, request }, deps) => {
      const { tenant_id } = principal
      await find(tx, principal, job_id)
      const cancelled = await deps.jobs.cancel(tx, { tenant_id, job_id })
      const view = await show(tx, deps, principal, { job_id, request_id: request.id })
      if (cancelled === 'absent') throw problem(absent)
      if (cancelled === 'ended') throw problem('invalid_transition', { current_state: view.state })
      if (cancelled === 'cancelled') return reply(200, view)
      return reply(202, view, { location: `${path}/${job_id}` })
    },
  ),
})

function deadlineOf({ kernel: { clock } }: Deps, deadline_at: string | undefined): number {
  if (deadline_at === undefined) return deadline_default_ms
  const left_ms = Date.parse(deadline_at) - clock.nowMs()
  if (left_ms > 0 && left_ms <= day_ms) return left_ms
  throw problem('validation_failed', {
    detail: '`deadline_at` must lie within the next 24 hours.',
    errors: [{ location: 'body', pointer: '/deadline_at', constraint: 'future' }],
  })
}

/** A job with a call of the caller. */
async function find(
  reader: Reader,
  { id, tenant_id }: Principal,
  job_id: string,
): Promise<OperationRow> {
  const row = await readOperationOfJob(reader, { tenant_id, job_id })
  if (!row || row.actor_id !== id || row.workload !== 'inference_job') throw problem(absent)
  return row
}

/** The job is read first: if it has ended, the call has ended too. */
async function show(
  reader: Reader,
  deps: Deps,
  who: Principal,
  { job_id, request_id }: { readonly job_id: string; readonly request_id: string },
) {
  const { tenant_id } = who
  const job = await deps.jobs.view(reader, { tenant_id, job_id })
  const row = await find(reader, who, job_id)
  if (!job) throw problem(absent)
  const attempts = await reader.many(
    AttemptView,
    sql`
      select attempt, deployment_id, state, error_code, latency_ms
      from inference.inference_attempts
      where tenant_id = ${tenant_id} and operation_id = ${row.id} order by attempt limit 200`,
  )
  const { state, status, progress, cancel_requested_at, completed_at, deadline_at } = job
  return {
    id: job_id,
    job_id,
    operation_id: row.id,
    state,
    status,
    progress,
    cancel_requested_at,
    result: row.state === 'succeeded' ? await viewOf(reader, deps.kernel, row, request_id) : null,
    error: job.error === null ? null : { code: job.error.code },
    attempts,
    created_at: job.created_at,
    started_at: row.started_at,
    completed_at,
    deadline_at,
  }
}
