/**
 * Creates a connection. The provider is asked before the transaction, so that a slow one holds no
 * database connection.
 */
import { newId, sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { recordSecurityEvent, type Seen } from '../security-events/record-security-event.ts'
import { checkProvider, complete, invalid, type Wanted } from './complete.ts'
import { connections, sealSecret, type Connection, type CreateConnection } from './connection.ts'
import { presets } from './presets.ts'
import { requireEditor, requireGivable, type Editor } from './require-editor.ts'

type Needs = Pick<Deps, 'kernel' | 'permissions'>

/** What a new connection is, once its provider was asked. */
export async function prepareConnection(
  deps: Needs,
  body: CreateConnection,
  editor: Editor,
): Promise<Wanted> {
  const { kernel } = deps
  await requireEditor(kernel.db, deps, editor)
  const wanted = wantedBy(body)
  await checkProvider(complete(wanted, kernel.profile), kernel.profile)
  return wanted
}

function wantedBy({ apple, client_secret, ...body }: CreateConnection): Wanted {
  const preset = body.preset ?? null
  const kind = preset === null ? body.kind : presets[preset].kind
  if (kind === undefined) throw invalid('Give a `preset`, or the `kind`: `oidc` or `oauth2`.')
  if (body.kind !== undefined && body.kind !== kind) {
    throw invalid(`The preset \`${preset}\` is of the kind \`${kind}\`. Leave \`kind\` out.`)
  }
  if (apple && preset !== 'apple') throw invalid('`apple` is for the preset `apple`.')
  return {
    id: newId(),
    kind,
    preset,
    client_id: body.client_id,
    apple: apple ? { team_id: apple.team_id, key_id: apple.key_id } : null,
    secret: (preset === 'apple' ? apple?.private_key : client_secret) ?? null,
    issuer: body.issuer ?? null,
    endpoints: body.endpoints ?? null,
    fields: body.fields ?? null,
    scopes: body.scopes ?? null,
    trust_email: body.trust_email ?? false,
  }
}

export async function createConnection(
  tx: Tx,
  deps: Needs,
  { body, wanted }: { readonly body: CreateConnection; readonly wanted: Wanted },
  editor: Editor,
  seen: Seen,
): Promise<Connection> {
  const { kernel } = deps
  const { tenant_id, id: editor_id } = editor.principal
  const { id, secret, ...values } = wanted
  await requireGivable(tx, deps, editor, body.role_map ?? [])
  await kernel.counted(
    tx,
    `identity.connections:${tenant_id}`,
    kernel.settings['identity.connections_most'],
    sql`select from identity.connections where tenant_id = ${tenant_id} and deleted_at is null`,
  )
  const { name, jit = false, mfa_values = [], role_map = [] } = body
  const made = await connections.insert(
    tx,
    { tenant_id },
    { ...values, name, jit, mfa_values, role_map, editor_id },
    { id, set: secret === null ? {} : { secret: sealed(deps, id, secret) } },
  )
  await announce(tx, 'created', made, editor, seen)
  return made
}

export function sealed({ kernel }: Pick<Deps, 'kernel'>, id: string, secret: string) {
  return sql`${sealSecret(kernel.keys, id, secret)}::bytea`
}

export async function announce(
  tx: Tx,
  act: 'created' | 'changed' | 'deleted',
  { id, version, state }: Connection,
  { principal }: Editor,
  seen: Seen,
): Promise<void> {
  const { tenant_id, id: account_id } = principal
  const action = `connection.${act}`
  tx.emit({
    type: action,
    tenant_id,
    aggregate_type: 'connection',
    aggregate_id: id,
    aggregate_version: version,
    data: { connection_id: id, ...(act === 'changed' ? { state } : {}) },
  })
  await recordSecurityEvent(tx, { tenant_id, account_id, action, actor: account_id, seen })
  tx.audit(`identity.connections.${act}`, id)
}
