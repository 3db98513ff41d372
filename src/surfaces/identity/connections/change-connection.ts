/**
 * Changes, disables and deletes a connection. A change is made to the version that was checked with
 * the provider. Who changes what the platform calls must know the secret, because it is sent there.
 * The sessions of a connection that ends end in the same commit.
 */
import { isDeepStrictEqual } from 'node:util'
import { etag, expectVersion, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { revokeConnectionSessions } from '../sessions/revoke-sessions.ts'
import { checkProvider, complete, invalid } from './complete.ts'
import { connections, openSecret, type ChangeConnection, type Connection } from './connection.ts'
import { announce, sealed } from './create-connection.ts'
import { forgetIdentities } from './forget-identities.ts'
import { requireEditor, requireGivable, type Editor } from './require-editor.ts'

type Needs = Pick<Deps, 'kernel' | 'permissions' | 'denied'>
type IfMatch = string | string[] | undefined

/** The values that say where a login leads, and what is sent there. */
const called = ['issuer', 'client_id', 'endpoints', 'fields', 'scopes'] as const

/** The values that say who a subject is. The same subject at another provider is another person. */
const who = ['issuer', 'endpoints', 'fields'] as const

export type Prepared = {
  readonly before: Connection
  readonly secret: string | undefined
}

export async function prepareChange(
  deps: Needs,
  id: string,
  body: ChangeConnection,
  editor: Editor,
): Promise<Prepared> {
  const { db, keys, profile } = deps.kernel
  await requireEditor(db, deps, editor)
  const scope = { tenant_id: editor.principal.tenant_id }
  const before = await connections.required(db, scope, id)
  const { preset } = before
  if (body.apple && preset !== 'apple') throw invalid('`apple` is for the preset `apple`.')
  const secret = preset === 'apple' ? body.apple?.private_key : body.client_secret
  const after = { ...before, ...body, apple: appleOf(body) ?? before.apple }
  if (secret === undefined && called.every(name => body[name] === undefined)) {
    return { before, secret }
  }
  const known = await openSecret(db, keys, id)
  if (secret === undefined && known !== null) {
    throw invalid(
      'The secret is sent to the provider. Send it again together with a change of `issuer`, `client_id`, `endpoints`, `fields` or `scopes`.',
    )
  }
  await checkProvider(complete({ ...after, secret: secret ?? known }, profile), profile)
  return { before, secret }
}

function appleOf({ apple }: ChangeConnection) {
  return apple && { team_id: apple.team_id, key_id: apple.key_id }
}

type Asked = {
  readonly id: string
  readonly body: ChangeConnection
  readonly prepared: Prepared
  readonly if_match: IfMatch
}

export async function changeConnection(
  tx: Tx,
  deps: Needs,
  { id, body, prepared: { before, secret }, if_match }: Asked,
  editor: Editor,
  seen: Seen,
): Promise<Connection> {
  expectVersion(if_match, before.version)
  const { tenant_id, id: actor } = editor.principal
  const { apple: _apple, client_secret: _secret, ...values } = body
  const apple = appleOf(body)
  await requireGivable(tx, deps, editor, body.role_map ?? [])
  const changed = await connections.update(
    tx,
    { tenant_id },
    id,
    { ...values, ...(apple ? { apple } : {}), editor_id: actor },
    {
      if_match: etag(before.version),
      set: secret === undefined ? {} : { secret: sealed(deps, id, secret) },
    },
  )
  const moved = who.some(name => !isDeepStrictEqual(before[name], changed[name]))
  if (moved) await forgetIdentities(tx, id, { actor, seen })
  if (moved || changed.state === 'disabled') {
    await revokeConnectionSessions(tx, deps, id, { actor, seen })
  }
  await announce(tx, 'changed', changed, editor, seen)
  return changed
}

export async function deleteConnection(
  tx: Tx,
  deps: Needs,
  { id, if_match }: { readonly id: string; readonly if_match: IfMatch },
  editor: Editor,
  seen: Seen,
): Promise<void> {
  await requireEditor(tx, deps, editor)
  const { tenant_id, id: actor } = editor.principal
  const set = { secret: sql`null` }
  const removed = await connections.remove(tx, { tenant_id }, id, { if_match, set })
  if (!removed) return
  await revokeConnectionSessions(tx, deps, id, { actor, seen })
  await announce(tx, 'deleted', removed, editor, seen)
}
