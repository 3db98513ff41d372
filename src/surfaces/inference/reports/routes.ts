/**
 * Routes of reports. A report is a long text that a job writes, and its result is fetched like the
 * result of any job.
 */
import { Type } from 'typebox'
import { closed, Id, narrowSession, newId, reply, routesOf, text } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { Prompt } from '../generations/routes.ts'
import { call_fails } from '../inferences/routes.ts'
import { report_type, shownKey } from '../jobs/job-types.ts'
import { createCall } from '../operations/create-call.ts'
import { draftCall } from '../operations/draft-call.ts'

const output_tokens_max = 4000
const deadline_ms = 1_800_000

const CreateReport = closed(
  { prompt: Prompt, title: Type.Optional(text(200)) },
  { title: 'GenerateReport' },
)
const CreatedReport = Type.Object(
  { id: Id, job_id: Id, status: Type.Literal('queued') },
  { title: 'GeneratedReport' },
)

const { open, post } = routesOf<Deps>()

export const reportRoutes = open({
  requestReport: post(
    '/v1/reports',
    'Generate a report in a job',
    {
      sends: ['location'],
      description:
        'Poll `Location`; the report in Markdown is behind `GET /v1/jobs/{job_id}/result-url`.',
      permission: 'inference.reports.create',
      idempotency: 'required',
      body_limit_bytes: 512 * 1024,
      body: CreateReport,
      replies: { 202: CreatedReport },
      fails: [...call_fails],
    },
    {
      prepare: async ({ principal, body: { prompt, title }, key }, deps) => {
        const input = title === undefined ? prompt : `Title: ${title}\n\n${prompt}`
        return await draftCall(deps, {
          tenant_id: principal.tenant_id,
          actor_id: principal.id,
          key,
          model: 'default',
          content: { input },
          parameters: { max_output_tokens: output_tokens_max },
          prompt: 'report@1',
          workload: 'report',
          class: 'job',
          waits: true,
          deadline_ms,
        })
      },
      handle: async ({ tx, principal, prepared, key }, deps) => {
        const { id: principal_id, tenant_id } = principal
        const [id, job_id] = [newId(), newId()]
        const call = await createCall(tx, deps, prepared, { id, job_id })
        await deps.jobs.submit(tx, {
          id: job_id,
          tenant_id,
          type: report_type,
          parameters: { operation_id: id },
          principal_id,
          session_id: narrowSession(principal),
          ...shownKey(key, job_id),
          deadline_at: call.deadline_at,
        })
        return reply(
          202,
          { id, job_id, status: 'queued' as const },
          { location: `/v1/jobs/${job_id}` },
        )
      },
    },
  ),
})
