/** Starts the syncs of connectors with a schedule when they are due. */
import { Type } from 'typebox'
import { again, done, dueQueue, nullable, Problem, sql, type DueQueue } from '#dodeca/kernel'
import { topics, type Deps } from '../deps.ts'
import { beginRun } from './change-connector.ts'

const Row = Type.Object({
  tenant_id: Type.String(),
  id: Type.String(),
  collection_id: Type.String(),
  job_id: nullable(Type.String()),
  created_by: Type.String(),
  schedule_seconds: nullable(Type.Integer()),
})

export function syncQueue(deps: Deps): DueQueue {
  return dueQueue({
    name: topics.connectors,
    table: 'retrieval.connectors',
    key: ['tenant_id', 'id'],
    row: Row,
    load: sql`t.collection_id, t.job_id, t.created_by, t.schedule_seconds`,
    where: sql`t.state = 'active'`,
    batch: 20,
    concurrency: 4,
    lease_seconds: 60,
    retry: { first: 10, factor: 2, cap: 3600 },
    run: ({ schedule_seconds }) =>
      Promise.resolve(schedule_seconds === null ? done() : again(schedule_seconds)),
    finish: async (tx, row) => {
      try {
        await beginRun(tx, deps, row.tenant_id, row, row.created_by, false)
      } catch (error) {
        // The earlier sync is still running, so this one is skipped.
        if (!(error instanceof Problem)) throw error
      }
      return undefined
    },
  })
}
