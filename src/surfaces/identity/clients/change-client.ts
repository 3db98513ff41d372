/**
 * Changes and deletes a client. What it may no longer have, it must not keep: a change that takes
 * something from it ends its grants in the same commit, and so does the end of an API.
 */
import { isDeepStrictEqual } from 'node:util'
import { expectVersion, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { endCodes } from '../oauth/end-codes.ts'
import { revokeClientSessions } from '../sessions/revoke-sessions.ts'
import { requireStepUp } from '../step-up.ts'
import { checkClient, requireHouse, type Editor } from './check-client.ts'
import { originsOf } from './client-origins.ts'
import { apiScopesOf, clients, wordsOf, type ChangeClient, type ClientRow } from './client.ts'
import { announce } from './create-client.ts'
import { problem } from '../errors.ts'

type Needs = Pick<Deps, 'kernel' | 'permissions' | 'denied'>
type IfMatch = string | string[] | undefined

export async function changeClient(
  tx: Tx,
  deps: Needs,
  { id, body, if_match }: { id: string; body: ChangeClient; if_match: IfMatch },
  editor: Editor,
  seen: Seen,
): Promise<ClientRow> {
  const { tenant_id } = editor.principal
  await requireStepUp(tx, deps.kernel, editor.principal)
  const before = await clients.lock(tx, { tenant_id }, id)
  expectVersion(if_match, before.version)
  await requireHouse(before, editor)
  const after = { ...before, ...body }
  if (before.type === 'api' && after.uri !== before.uri) {
    throw problem('client_invalid', {
      detail: 'The `uri` of an API never changes: tokens are for it. Create another client.',
    })
  }
  await checkClient(tx, deps, after, editor)
  if (isDeepStrictEqual(after, before)) return before
  const changed = await clients.update(tx, { tenant_id }, id, body, { set: originsOf(after) })
  if (isNarrower(before, changed)) await endGrants(tx, deps, before, editor, seen)
  await announce(tx, 'changed', changed, editor, seen)
  return changed
}

function isNarrower(before: ClientRow, after: ClientRow): boolean {
  const loses = (had: readonly string[], has: readonly string[]) =>
    had.some(one => !has.includes(one))
  const namesOf = (row: ClientRow) => apiScopesOf(row).map(({ name }) => name)
  return (
    loses(before.redirect_uris, after.redirect_uris) ||
    loses(wordsOf(before), wordsOf(after)) ||
    loses(namesOf(before), namesOf(after)) ||
    (before.first_party && !after.first_party)
  )
}

export async function deleteClient(
  tx: Tx,
  deps: Needs,
  { id, if_match }: { readonly id: string; readonly if_match: IfMatch },
  editor: Editor,
  seen: Seen,
): Promise<void> {
  const { tenant_id } = editor.principal
  await requireStepUp(tx, deps.kernel, editor.principal)
  const removed = await clients.remove(tx, { tenant_id }, id, { if_match })
  if (!removed) return
  await endGrants(tx, deps, removed, editor, seen)
  await announce(tx, 'deleted', removed, editor, seen)
}

/** Also of other tenants: a client of `default` serves all. */
export async function endGrants(
  tx: Tx,
  deps: Needs,
  { id, type, uri }: ClientRow,
  { principal }: Editor,
  seen: Seen,
): Promise<void> {
  const which = type === 'api' ? { audience: uri ?? '' } : { client_id: id }
  await endCodes(tx, which)
  await revokeClientSessions(tx, deps, which, { actor: principal.id, seen })
}
