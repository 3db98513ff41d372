/** Rotates the signing keys and emits the event in the same transaction. */
import { newId, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { default_tenant_id } from '../schemas.ts'
import { recordSecurityEvent, type Seen } from '../security-events/record-security-event.ts'

/** Wakes the processes that sign. */
export const signing_keys_topic = 'identity.signing_keys'

export type Turner = {
  readonly actor: string
  readonly tenant_id: string
  readonly seen?: Seen
}

export async function rotateSigningKey(
  tx: Tx,
  { keys }: Pick<Deps, 'keys'>,
  mode: 'graceful' | 'revoke',
  { actor, tenant_id, seen }: Turner,
): Promise<{ kid: string; state: string }> {
  const rotated = await keys.rotate(tx, mode)
  const { kid } = rotated
  tx.emit({
    type: 'signing_key.rotated',
    tenant_id: default_tenant_id,
    aggregate_type: 'signing_key',
    aggregate_id: newId(),
    aggregate_version: 1,
    data: { kid },
  })
  tx.audit('identity.signing_keys.rotate', kid, { by: { tenant_id, id: actor }, reason: mode })
  const about = { tenant_id, account_id: null, action: 'signing_key.rotated', actor }
  await recordSecurityEvent(tx, { ...about, ...(seen ? { seen } : {}) })
  return rotated
}

/** Moves the keys that are due to their next state. */
export async function advanceSigningKeys({ kernel, keys }: Pick<Deps, 'kernel' | 'keys'>) {
  if (await kernel.db.tx(tx => keys.advance(tx))) kernel.wake([signing_keys_topic])
}
