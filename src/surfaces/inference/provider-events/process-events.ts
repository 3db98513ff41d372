/**
 * Processes stored events. Reads the response that an event names, stores its id in the operation
 * that waits for the response, and wakes the job of the operation. Only that job ends the
 * operation, with the state that it reads from the provider at that time. So the number and order
 * of events do not matter.
 */
import { Type } from 'typebox'
import { done, dueQueue, isId, retry, sql, type DueQueue } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { ProviderFailure } from '../providers/provider.ts'
import { response_topic } from '../reports/run-report.ts'

export const events_queue = 'inference.provider_events'

const Row = Type.Object({
  provider: Type.String(),
  event_id: Type.String(),
  payload: Type.Object({ response_id: Type.Union([Type.String(), Type.Null()]) }),
})

type Named = { readonly response_id: string; readonly operation_id: string | null }

export function providerEventsQueue({ providers }: Deps): DueQueue {
  return dueQueue<typeof Row, Named>({
    name: events_queue,
    table: 'inference.provider_events',
    key: ['provider', 'event_id'],
    row: Row,
    load: sql`t.payload`,
    where: sql`t.processed_at is null`,
    batch: 50,
    concurrency: 8,
    lease_seconds: 60,
    retry: { first: 1, factor: 3, cap: 3600 },
    attempts_max: 20,
    run: async ({ provider: name, payload }, signal) => {
      const provider = providers.find(name)
      const { response_id } = payload
      if (!provider || response_id === null) return done({ response_id: '', operation_id: null })
      try {
        const { operation_id } = await provider.retrieve(response_id, signal)
        return done({ response_id, operation_id })
      } catch (error) {
        if (!(error instanceof ProviderFailure)) throw error
        return retry(error.code)
      }
    },
    finish: async (tx, { provider, event_id }, outcome) => {
      if (outcome.end !== 'done') return
      const { response_id, operation_id } = outcome.result
      await tx.run(sql`
        update inference.provider_events set processed_at = now()
        where provider = ${provider} and event_id = ${event_id}`)
      if (operation_id === null || !isId(operation_id)) return
      await tx.run(sql`
        -- any tenant: the provider names the operation's own id
        update inference.inference_operations
        set provider_response_id = ${response_id}, version = version + 1
        where id = ${operation_id} and provider_response_id is null
          and state in ('running', 'reconciling') and workload = 'report'`)
      tx.wake(response_topic)
    },
  })
}
