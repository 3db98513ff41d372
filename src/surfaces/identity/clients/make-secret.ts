/**
 * Makes a new secret of a client. The one before it is valid for a while more, so that no request of
 * the application fails while it gets the new one. Without that time the old one may have leaked:
 * then everything that was given to the client ends too.
 */
import { Type } from 'typebox'
import { newId, newSecret, nullable, sql, Time, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { hashOf } from '../one-time.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { requireStepUp } from '../step-up.ts'
import { endGrants } from './change-client.ts'
import { requireHouse, type Editor } from './check-client.ts'
import { clients, type NewClientSecret } from './client.ts'
import { announce } from './create-client.ts'

export const overlap_seconds_max = 86_400

const Before = Type.Object({ previous_expires_at: nullable(Time) })

export async function makeSecret(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'permissions' | 'denied'>,
  { id, overlap_seconds }: { readonly id: string; readonly overlap_seconds: number },
  editor: Editor,
  seen: Seen,
): Promise<NewClientSecret> {
  const { tenant_id } = editor.principal
  await requireStepUp(tx, deps.kernel, editor.principal)
  const client = await clients.lock(tx, { tenant_id }, id)
  await requireHouse(client, editor)
  if (client.type !== 'web' && client.type !== 'api') {
    throw problem('client_invalid', {
      detail: `A client of the type \`${client.type}\` is where its user is, so it can keep no secret.`,
    })
  }
  const its = sql`tenant_id = ${tenant_id} and client_id = ${id}`
  // Two are valid at most: the new one, and the newest before it.
  await tx.run(sql`
    delete from identity.client_secrets
    where ${its} and (expires_at is not null or ${overlap_seconds}::int = 0)`)
  const before = await tx.maybe(
    Before,
    sql`
      update identity.client_secrets
      set expires_at = kernel.now() + make_interval(secs => ${overlap_seconds})
      where ${its} returning expires_at as previous_expires_at`,
  )
  const client_secret = `cs_${newSecret(32)}`
  await tx.run(sql`
    insert into identity.client_secrets (tenant_id, client_id, id, secret_hash)
    values (${tenant_id}, ${id}, ${newId()}, ${hashOf(client_secret)})`)
  if (overlap_seconds === 0) await endGrants(tx, deps, client, editor, seen)
  const changed = await clients.update(tx, { tenant_id }, id, { name: client.name })
  await announce(tx, 'changed', changed, editor, seen)
  return { client_secret, previous_expires_at: before?.previous_expires_at ?? null }
}
