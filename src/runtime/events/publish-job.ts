/**
 * The job type `kernel.publish`: publishes events later, or as the answer of a rule. At its run its
 * owner must hold the rights that `POST /v1/events` asks for.
 */
import { jobFailureOf, type JobType } from '#dodeca/kernel'
import type { Publish, Rights } from './publish-events.ts'
import { PublishEvents, type PublishedEvent } from './schemas.ts'

export function publishJob(publish: Publish, { grantsOf }: Rights): JobType {
  return {
    type: 'kernel.publish',
    schema_version: 1,
    parameters: PublishEvents,
    offered: true,
    run: async job => {
      // Checked against the schema above when it was submitted.
      const { events } = job.parameters as { events: readonly PublishedEvent[] }
      const { tenant_id, principal_id, session_id } = job
      try {
        await job.commit(async tx => {
          const owner = { tenant_id, principal_id, session_id }
          const grants = async () => (await grantsOf(tx, [owner]))[0] ?? new Set<string>()
          await publish(tx, events, { tenant_id, grants })
        })
      } catch (error) {
        throw jobFailureOf(error)
      }
    },
  }
}
