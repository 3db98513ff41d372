/** Creates a client: an application that logs people in here, or an API. It has no secret yet. */
import { sql, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { recordSecurityEvent, type Seen } from '../security-events/record-security-event.ts'
import { requireStepUp } from '../step-up.ts'
import { checkClient, type Editor } from './check-client.ts'
import { originsOf } from './client-origins.ts'
import { clients, type ClientRow, type CreateClient } from './client.ts'

export async function createClient(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'permissions'>,
  body: CreateClient,
  editor: Editor,
  seen: Seen,
): Promise<ClientRow> {
  const { kernel } = deps
  const { tenant_id } = editor.principal
  await requireStepUp(tx, kernel, editor.principal)
  const wanted = { redirect_uris: [], scopes: [], uri: null, first_party: false, ...body }
  await checkClient(tx, deps, wanted, editor)
  await kernel.counted(
    tx,
    `identity.clients:${tenant_id}`,
    kernel.settings['identity.clients_most'],
    sql`select from identity.clients where tenant_id = ${tenant_id} and deleted_at is null`,
  )
  const made = await clients.insert(tx, { tenant_id }, wanted, { set: originsOf(wanted) })
  await announce(tx, 'created', made, editor, seen)
  return made
}

export async function announce(
  tx: Tx,
  act: 'created' | 'changed' | 'deleted',
  { id, version, type }: ClientRow,
  { principal }: Pick<Editor, 'principal'>,
  seen: Seen,
): Promise<void> {
  const { tenant_id, id: account_id } = principal
  const action = `client.${act}`
  tx.emit({
    type: action,
    tenant_id,
    aggregate_type: 'client',
    aggregate_id: id,
    aggregate_version: version,
    data: { client_id: id, type },
  })
  await recordSecurityEvent(tx, { tenant_id, account_id, action, actor: account_id, seen })
  tx.audit(`identity.clients.${act}`, id)
}
