/**
 * Pauses, resumes and cancels a batch. Its state is looked at by every claim, so that it counts at once for
 * everything that is not on its way.
 *
 * | from        | pause  | resume      | cancel    |
 * | ----------- | ------ | ----------- | --------- |
 * | dispatching | paused | the same    | cancelled |
 * | paused      | same   | dispatching | cancelled |
 * | completed   | 409    | 409         | 409       |
 * | cancelled   | 409    | 409         | the same  |
 */
import { sql, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import type { Caller } from '../intents/read-notification.ts'
import { requireBatch } from './read-batch.ts'

export type Verb = 'pause' | 'resume' | 'cancel'

const moves: Readonly<Record<Verb, { readonly from: readonly string[]; readonly to: string }>> = {
  pause: { from: ['dispatching'], to: 'paused' },
  resume: { from: ['paused'], to: 'dispatching' },
  cancel: { from: ['dispatching', 'paused'], to: 'cancelled' },
}

export async function changeBatch(tx: Tx, caller: Caller, id: string, verb: Verb): Promise<void> {
  const before = await requireBatch(tx, caller, id)
  const { from, to } = moves[verb]
  const { tenant_id } = caller.principal
  const changed = await tx.run(sql`
    update notifications.notification_batches set state = ${to}
    where tenant_id = ${tenant_id} and id = ${id} and state = any(${[...from]}::text[])`)
  if (changed === 0 && before.state !== to) {
    throw problem('invalid_transition', { current_state: before.state })
  }
}
