/**
 * The job type `jobs.signal`: sends a signal later, or as the answer of a rule. At its run its owner
 * must hold the right that `POST /v1/jobs/{job_id}/signals` asks for.
 */
import { closed, Id, jobFailureOf, type JobType } from '#dodeca/kernel'
import type { Static } from 'typebox'
import type { Deps } from '../deps.ts'
import { findJob } from '../jobs/find-job.ts'
import { SendSignal } from './schemas.ts'
import { sendSignal } from './send-signal.ts'

const Parameters = closed({ job_id: Id, ...SendSignal.properties })

export function signalJob(deps: Deps): JobType {
  return {
    type: 'jobs.signal',
    schema_version: 1,
    parameters: Parameters,
    offered: true,
    run: async job => {
      // Checked against the schema above when it was submitted.
      const { job_id, name, data } = job.parameters as Static<typeof Parameters>
      const { id, tenant_id, principal_id, session_id } = job
      try {
        await job.commit(async tx => {
          const [held = new Set<string>()] = await deps.rights.grantsOf(tx, [
            { tenant_id, principal_id, session_id },
          ])
          const caller = {
            principal: { id: principal_id, tenant_id },
            grants: () => Promise.resolve(held),
          }
          await findJob(tx, deps, caller, job_id, 'jobs.jobs.signal')
          // The id of the job, so that it is sent once.
          await sendSignal(tx, deps, { tenant_id, job_id, name, data, id, principal_id })
        })
      } catch (error) {
        throw jobFailureOf(error)
      }
    },
  }
}
