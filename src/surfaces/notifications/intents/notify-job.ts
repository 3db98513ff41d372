/**
 * The job type `notifications.notify`: sends a notification later, or as the answer of a rule. At its
 * run its owner must hold the rights that `POST /v1/notifications` asks for.
 */
import { allowsType, fingerprint, JobFailure, jobFailureOf, type JobType } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { createNotification } from './create-notification.ts'
import { NewNotification } from './schemas.ts'

const type = 'notifications.notify'

export function notifyJob(deps: Deps): JobType {
  return {
    type,
    schema_version: 1,
    parameters: NewNotification,
    offered: true,
    run: async job => {
      // Checked against the schema above when it was submitted.
      const asked = job.parameters as NewNotification
      const { id, tenant_id, principal_id, session_id } = job
      const request = { tenant_id, operation: type, params: {}, query: {} }
      const print = fingerprint({ ...request, media_type: 'application/json', body: asked })
      try {
        await job.commit(async tx => {
          const [grants = new Set<string>()] = await deps.people.grantsOf(tx, [
            { tenant_id, principal_id, session_id },
          ])
          if (!allowsType(grants, 'notifications.intents.send', asked.category)) {
            throw new JobFailure('owner_revoked')
          }
          const key = { value: `job:${id}`, fingerprint: print }
          const by = { tenant_id, principal_id, session_id, grants, key }
          await createNotification(tx, deps, by, asked)
        })
      } catch (error) {
        throw jobFailureOf(error)
      }
    },
  }
}
