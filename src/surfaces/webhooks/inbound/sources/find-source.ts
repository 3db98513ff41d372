/**
 * Reads sources. Owners read the sources of their tenant. For a received message the source is
 * found by the URL alone.
 */
import { createSecretKey, type KeyObject } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { columnsOf, gather, Id, sql, type Reader } from '#dodeca/kernel'
import type { Kernel } from '../../settings.ts'
import { problem } from '../../errors.ts'
import { Bytes } from '../../schemas.ts'
import type { InboundSecrets } from '../inbound-secrets.ts'
import { Options, SchemeName, Source } from '../schemas.ts'

export type SourceKey = { readonly provider: string; readonly account_ref: string }

export const SourceRow = Type.Object({
  ...Type.Omit(Source, ['url']).properties,
  version: Type.Integer(),
})
export type SourceRow = Static<typeof SourceRow>

export const sourceColumns = columnsOf(SourceRow, 's', {
  secret_versions: sql`
    array(select k.version from webhooks.inbound_secrets k
      where k.tenant_id = s.tenant_id and k.source_id = s.id order by k.version)`,
})

export async function findSource(
  reader: Pick<Reader, 'maybe'>,
  { tenant_id, provider, account_ref }: SourceKey & { tenant_id: string },
): Promise<SourceRow> {
  const row = await reader.maybe(
    SourceRow,
    sql`
      select ${sourceColumns} from webhooks.inbound_sources s
      where s.tenant_id = ${tenant_id} and s.provider = ${provider}
        and s.account_ref = ${account_ref}`,
  )
  if (!row) throw problem('inbound_source_not_found')
  return row
}

/**
 * Returns the source of a URL, and the secrets for verifying the messages of that source, the
 * newest first.
 */
const Row = Type.Object({
  provider: Type.String(),
  account_ref: Type.String(),
  id: Id,
  tenant_id: Id,
  scheme: SchemeName,
  tolerance_seconds: Type.Integer(),
  options: Options,
  versions: Type.Array(Type.Integer()),
  sealed: Type.Array(Bytes),
})
export type Trusted = Omit<Static<typeof Row>, 'sealed'> & {
  readonly secrets: readonly KeyObject[]
}

const flights_max = 4
const keys_max = 500
const placeOf = ({ provider, account_ref }: SourceKey) => `${provider} ${account_ref}`

export type FindTrusted = (key: SourceKey) => Promise<Trusted>

/**
 * Messages that arrive together share a look-up. The look-up starts after all of them have arrived.
 */
export function openFindTrusted(
  kernel: Pick<Kernel, 'db' | 'settings'>,
  secrets: Pick<InboundSecrets, 'open'>,
): FindTrusted {
  const patience_ms = kernel.settings['webhooks.inbound_ack_ms']
  const limits = { flights_max, items_max: keys_max, patience_ms }
  const find = gather<SourceKey, Trusted | null>(limits, async keys => {
    const found = await readTrusted(kernel.db, [
      ...new Map(keys.map(key => [placeOf(key), key])).values(),
    ])
    const trusted = new Map(
      found.map(({ sealed, ...row }) => [
        placeOf(row),
        {
          ...row,
          secrets: sealed.map((one, at) =>
            createSecretKey(secrets.open(row.id, row.versions[at] ?? 0, one)),
          ),
        },
      ]),
    )
    return keys.map(key => trusted.get(placeOf(key)) ?? null)
  })
  return async key => {
    const trusted = await find(key)
    if (!trusted) throw problem('inbound_source_not_found')
    return trusted
  }
}

function readTrusted(reader: Pick<Reader, 'many'>, keys: readonly SourceKey[]) {
  return reader.many(
    Row,
    sql`
      -- any tenant: the address of a provider names none, and is one tenant's alone
      select s.provider, s.account_ref, s.id, s.tenant_id, s.scheme, s.tolerance_seconds, s.options,
        k.versions, k.sealed
      from unnest(${keys.map(key => key.provider)}::text[],
        ${keys.map(key => key.account_ref)}::text[]) as w (provider, account_ref)
      join webhooks.inbound_sources s
        on s.provider = w.provider and s.account_ref = w.account_ref
      cross join lateral (
        select array_agg(k.version order by k.version desc) as versions,
          array_agg(k.secret_ciphertext order by k.version desc) as sealed
        from webhooks.inbound_secrets k
        where k.tenant_id = s.tenant_id and k.source_id = s.id
      ) k`,
  )
}

const Scheme = Type.Object({ scheme: SchemeName })

export async function findScheme(reader: Pick<Reader, 'maybe'>, key: SourceKey) {
  const row = await reader.maybe(
    Scheme,
    sql`
      -- any tenant: the address of a provider names none
      select s.scheme from webhooks.inbound_sources s
      where s.provider = ${key.provider} and s.account_ref = ${key.account_ref}`,
  )
  if (!row) throw problem('inbound_source_not_found')
  return row.scheme
}
