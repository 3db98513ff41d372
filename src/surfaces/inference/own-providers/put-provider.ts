/**
 * Adds or changes an own provider of a tenant. A kept key is never sent to another address: kind,
 * address and the way of the key change only together with a whole key.
 */
import { columnsOf, lacks, newId, requireConditions, sql } from '#dodeca/kernel'
import type { Conditions, Principal, Tx } from '#dodeca/kernel'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { models_topic } from '../models/known-models.ts'
import { Auth, usual_addresses } from '../providers/auth.ts'
import { hostFault } from '../providers/own-hosts.ts'
import { sealSecret } from '../providers/own-secrets.ts'
import { primaryName } from '../providers/provider-settings.ts'
import { ProviderView, type PutProvider, type ShownAuth } from './schemas.ts'

export type By = {
  readonly principal: Principal
  readonly grants: ReadonlySet<string>
  readonly conditions: Conditions
}

export const providerColumns = columnsOf(ProviderView, 'p')

export async function putProvider(
  tx: Tx,
  deps: Pick<Deps, 'kernel' | 'providers'>,
  { principal, grants, conditions }: By,
  name: string,
  body: PutProvider,
): Promise<ProviderView> {
  const { tenant_id = principal.tenant_id, kind, state = 'active' } = body
  const auth = authOf(body)
  const of_operator = tenant_id !== principal.tenant_id || body.tools !== undefined
  if (of_operator && !grants.has('inference.platform.write')) {
    throw lacks('inference.platform.write', 'Leave out `tools` and `tenant_id`.')
  }
  refuseTaken(deps, name)
  const base_url = addressOf(deps, body)
  const before = await findProvider(tx, tenant_id, name)
  requireConditions(conditions, before?.version ?? null)
  const is_same = before?.kind === kind && before.base_url === base_url
  if (!auth && !is_same) throw withoutKey(before !== undefined)
  if (!before) await count(tx, deps, tenant_id)
  // What the operator allowed is for the address that he saw.
  const tools = body.tools ?? (is_same && before.tools)
  const sealed = auth && sealSecret(deps.kernel, { tenant_id, name }, { kind, base_url, auth })
  const row = await tx.one(
    ProviderView,
    sql`
      insert into inference.providers as p (tenant_id, name, id, kind, base_url, auth, sealed, state,
        tools)
      values (${tenant_id}, ${name}, ${newId()}, ${kind}, ${base_url},
        ${sql.json(auth ? shown(auth) : before?.auth)}::jsonb, ${sealed ?? Buffer.alloc(0)}, ${state},
        ${tools})
      on conflict (tenant_id, name) do update
        set kind = excluded.kind, base_url = excluded.base_url, auth = excluded.auth,
          sealed = case when ${sealed !== undefined} then excluded.sealed else p.sealed end,
          state = excluded.state, tools = excluded.tools, version = p.version + 1,
          updated_at = kernel.now()
      returning ${providerColumns}`,
  )
  // Another request has created the row since it was looked for.
  if (!before && row.version > 1) requireConditions(conditions, row.version - 1)
  tx.audit('inference.providers.put', name)
  tx.wake(models_topic)
  announce(tx, tenant_id, row, row.state)
  return row
}

/** Locked. */
export async function findProvider(
  tx: Tx,
  tenant_id: string,
  name: string,
): Promise<Static<typeof ProviderView> | undefined> {
  return await tx.maybe(
    Type.Object(ProviderView.properties),
    sql`
      select ${providerColumns} from inference.providers p
      where p.tenant_id = ${tenant_id} and p.name = ${name} for update`,
  )
}

export function announce(
  tx: Tx,
  tenant_id: string,
  { id, name, version }: Pick<ProviderView, 'id' | 'name' | 'version'>,
  state: ProviderView['state'] | 'deleted',
): void {
  tx.emit({
    type: 'model_provider.changed',
    tenant_id,
    aggregate_type: 'model_provider',
    aggregate_id: id,
    aggregate_version: state === 'deleted' ? version + 1 : version,
    data: { model_provider_id: id, name, state },
  })
}

function refuseTaken({ providers, kernel }: Pick<Deps, 'providers' | 'kernel'>, name: string) {
  const primary = primaryName(kernel.settings, kernel.profile)
  if (providers.names.includes(name) || name === primary) throw problem('provider_name_taken')
}

function addressOf({ kernel }: Pick<Deps, 'kernel'>, { kind, base_url }: PutProvider): string {
  const address = base_url ?? usual_addresses[kind]
  const fault = address === undefined ? 'address' : hostFault(kernel, address)
  if (address !== undefined && !fault) return address
  if (fault === 'host') throw problem('provider_host_not_allowed')
  throw invalid(
    '/base_url',
    'Send an address such as https://api.example.com/v1: https at port 443, without a user, a query or a fragment.',
  )
}

function authOf({ auth }: PutProvider): Auth | undefined {
  if (auth === undefined || Value.Check(Auth, auth)) return auth
  throw invalid(
    '/auth',
    'Send `key` for a bearer, `header` and `key` for a header, and `region`, `access_key_id` and `secret_access_key` for aws, and no other members.',
  )
}

function withoutKey(is_known: boolean) {
  return invalid(
    '/auth',
    is_known
      ? 'A kept key is sent to no other address. Send the whole `auth` with another kind or base_url.'
      : 'Send the key in `auth`.',
  )
}

function invalid(pointer: string, detail: string) {
  const errors = [{ location: 'body' as const, pointer, constraint: 'required' }]
  return problem('validation_failed', { detail, errors })
}

async function count(tx: Tx, { kernel }: Pick<Deps, 'kernel'>, tenant_id: string) {
  const most = kernel.settings['inference.tenant_providers_max']
  const all = sql`select from inference.providers where tenant_id = ${tenant_id}`
  await kernel.counted(tx, `inference.providers:${tenant_id}`, most, all)
}

/** Of a short key nothing is shown. */
function shown(auth: Auth): ShownAuth {
  const key = auth.type === 'aws' ? auth.secret_access_key : auth.key
  return {
    type: auth.type,
    header: auth.type === 'header' ? auth.header : null,
    region: auth.type === 'aws' ? auth.region : null,
    last4: key.length < 16 ? '' : key.slice(-4),
  }
}
