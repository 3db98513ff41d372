/**
 * Configures a provider as a source of webhooks. A request replaces the whole source, so one
 * request with the old and the new secret starts a rotation. A URL belongs to the first tenant that
 * configured it.
 */
import { Type } from 'typebox'
import {
  newId,
  parseStandardKey,
  parseStandardSecret,
  requireConditions,
  sql,
} from '#dodeca/kernel'
import type { Conditions, FieldError, Tx } from '#dodeca/kernel'
import type { Kernel } from '../../settings.ts'
import { problem } from '../../errors.ts'
import type { InboundSecrets } from '../inbound-secrets.ts'
import type { Options, PutSource } from '../schemas.ts'
import { sourceColumns, SourceRow, type SourceKey } from './find-source.ts'

type Where = SourceKey & { readonly tenant_id: string; readonly conditions: Conditions }

const taken = 'Another tenant already receives for this account of the provider.'

/** Version 1 means that the row is new. */
const Written = Type.Object({ ...SourceRow.properties, made: Type.Boolean() })

export async function putSource(
  tx: Tx,
  { kernel, secrets }: { kernel: Pick<Kernel, 'settings'>; secrets: InboundSecrets },
  { tenant_id, provider, account_ref, conditions }: Where,
  given: PutSource,
): Promise<{ row: SourceRow; made: boolean }> {
  refuseUnfit(given)
  const tolerance = given.tolerance_seconds ?? kernel.settings['webhooks.inbound_tolerance_seconds']
  const options = sql.json(given.scheme === 'generic_hmac' ? (given.options ?? {}) : {})
  const found = await tx.maybe(
    Written,
    sql`
    insert into webhooks.inbound_sources as s
      (tenant_id, provider, account_ref, id, scheme, tolerance_seconds, options)
    values (${tenant_id}, ${provider}, ${account_ref}, ${newId()}, ${given.scheme},
      ${tolerance}, ${options}::jsonb)
    on conflict (provider, account_ref) do update
      set scheme = excluded.scheme, tolerance_seconds = excluded.tolerance_seconds,
        options = excluded.options, version = s.version + 1, updated_at = kernel.now()
      where s.tenant_id = ${tenant_id}
    returning ${sourceColumns}, s.version = 1 as made`,
  )
  if (!found) throw problem('already_exists', { detail: taken })
  const { made, ...row } = found
  requireConditions(conditions, made ? null : row.version - 1)
  await tx.run(sql`
    delete from webhooks.inbound_secrets where tenant_id = ${tenant_id} and source_id = ${row.id}`)
  await tx.run(sql`
    insert into webhooks.inbound_secrets (tenant_id, source_id, version, secret_ciphertext)
    select ${tenant_id}, ${row.id}, k.version, k.sealed
    from unnest(${given.secrets.map(one => one.version)}::int[],
      ${given.secrets.map(one => secrets.seal(row.id, one.version, one.value))}::bytea[])
      as k (version, sealed)`)
  const secret_versions = given.secrets.map(one => one.version).sort((a, b) => a - b)
  return { row: { ...row, secret_versions }, made }
}

function refuseUnfit({ scheme, secrets, options = {} }: PutSource): void {
  const faults: FieldError[] = []
  const fault = (pointer: string, constraint: string) =>
    faults.push({ location: 'body', pointer, constraint })
  const versions = new Set<number>()
  for (const [index, { version, value }] of secrets.entries()) {
    if (versions.has(version)) fault(`/secrets/${index}/version`, 'unique')
    versions.add(version)
    const known = parseStandardSecret(value) ?? parseStandardKey(value)
    if (scheme === 'standard' && !known) fault(`/secrets/${index}/value`, 'secret')
  }
  if (scheme === 'generic_hmac')
    for (const name of unfit(options)) fault(`/options/${name}`, 'fits')
  if (faults.length > 0) throw problem('validation_failed', { errors: faults, detail: forms })
}

const forms =
  'Versions differ. A secret of standard is whsec_ or whpk_ and base64. For generic_hmac the header of ' +
  'the signature is named; a template holds {body} once and {timestamp} at most once, and with it a ' +
  'timestamp_header is named, and only with it; the id is in a header or at a pointer, and a template ' +
  'holds {id} at most once, for an id in a header.'

/**
 * The signature always covers the body. The time of a message is checked only if the signature
 * covers the time too.
 */
function unfit({ header, template, timestamp_header, id_header, id_pointer }: Options) {
  const parts = (template ?? '{body}').match(/\{[^{}]*\}/g) ?? []
  const times = parts.filter(part => part === '{timestamp}').length
  const bodies = parts.filter(part => part === '{body}').length
  const ids = parts.filter(part => part === '{id}').length
  return [
    ...(header ? [] : ['header']),
    ...(bodies === 1 && times <= 1 && ids <= 1 && parts.length === 1 + times + ids
      ? []
      : ['template']),
    ...((times === 1) === (timestamp_header !== undefined) ? [] : ['timestamp_header']),
    ...(ids === 1 && !id_header ? ['id_header'] : []),
    ...(id_header && id_pointer ? ['id_pointer'] : []),
  ]
}
