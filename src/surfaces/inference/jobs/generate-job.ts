/**
 * The job type `inference.generate`: calls a model later, or as the answer of a rule. At its run its
 * owner must hold the right that `POST /v1/inference-jobs` asks for. The call is a job of its own,
 * which the result names.
 */
import type { Static } from 'typebox'
import { allowsSome, closed, JobFailure, jobFailureOf, newId, type JobType } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { readAsked } from '../inferences/schemas.ts'
import { draftCall } from '../operations/draft-call.ts'
import { asked } from '../schemas.ts'
import { deadline_default_ms, submitCall } from './submit-call.ts'

const Parameters = closed(asked)

export function generateJob(deps: Deps): JobType {
  return {
    type: 'inference.generate',
    schema_version: 1,
    parameters: Parameters,
    offered: true,
    run: async job => {
      const { tenant_id, principal_id, session_id } = job
      const owner = { tenant_id, principal_id, session_id }
      const ids = { id: newId(), job_id: newId() }
      try {
        const draft = await draftCall(deps, {
          // Checked against the schema above when it was submitted.
          ...(await readAsked(deps.kernel, job.parameters as Static<typeof Parameters>)),
          tenant_id,
          actor_id: principal_id,
          // What a narrow session may read is not known here.
          scope: session_id === null ? undefined : new Set(),
          prompt: 'plain@1',
          workload: 'inference_job',
          class: 'job',
          waits: true,
          deadline_ms: deadline_default_ms,
        })
        const result = { job_id: ids.job_id, operation_id: ids.id }
        await job.store('application/json', Buffer.from(JSON.stringify(result)))
        await job.commit(async tx => {
          const [grants = new Set<string>()] = await deps.people.grantsOf(tx, [owner])
          if (!allowsSome(grants, 'inference.jobs.create')) throw new JobFailure('owner_revoked')
          await submitCall(tx, deps, draft, { ...ids, ...owner })
        })
      } catch (error) {
        throw jobFailureOf(error)
      }
    },
  }
}
