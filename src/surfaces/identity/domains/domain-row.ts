/**
 * The domains of an organization, their record and their events. The person who can publish the TXT record
 * has the domain, and every check asks for it again.
 *
 * | state      | record found | record missing                          |
 * | ---------- | ------------ | --------------------------------------- |
 * | `pending`  | `verified`   | stays; it is only looked for on request |
 * | `verified` | stays        | `lost` after three daily checks in a row |
 * | `lost`     | `verified`   | stays                                   |
 *
 * A removed one stays as `removed` for 30 days, so that a repeated DELETE succeeds.
 *
 * A domain that another tenant has verified cannot become verified: a unique index decides.
 */
import { Type, type Static } from 'typebox'
import { columnsOf, Id, nullable, oneOf, openProofs, sql, Time, Version } from '#dodeca/kernel'
import type { Reader, Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'

export const proofs = openProofs('dodeca')

export const DomainState = oneOf('pending', 'verified', 'lost')

export const Row = Type.Object({
  id: Id,
  domain: Type.String(),
  /** Also `removed`, which no reply shows. */
  state: Type.String(),
  record_value: Type.String(),
  checked_at: nullable(Time),
  version: Version,
  created_at: Time,
})
export type Row = Static<typeof Row>

const { version: _version, ...shown } = Row.properties
export const OrganizationDomain = Type.Object(
  { ...shown, record_name: Type.String() },
  { title: 'OrganizationDomain' },
)

export const columns = columnsOf(Row, null)

/** The value of the record is no secret: only who writes the DNS of the domain can use it. */
export function viewOf({ version: _version, ...row }: Row) {
  return { ...row, record_name: proofs.recordName(row.domain) }
}

export function announceDomain(
  tx: Tx,
  what: 'created' | 'changed' | 'deleted',
  tenant_id: string,
  { id, state, version }: Pick<Row, 'id' | 'state' | 'version'>,
): void {
  tx.emit({
    type: `organization_domain.${what}`,
    tenant_id,
    aggregate_type: 'organization_domain',
    aggregate_id: id,
    aggregate_version: version,
    data: { domain_id: id, state },
  })
}

export async function requireDomain(reader: Reader, tenant_id: string, id: string): Promise<Row> {
  const row = await reader.maybe(
    Row,
    sql`
      select ${columns} from identity.organization_domains
      where tenant_id = ${tenant_id} and id = ${id} and state <> 'removed'`,
  )
  if (!row) throw problem('organization_domain_not_found')
  return row
}

const Exists = Type.Object({ it: Type.Boolean() })

/** Whether the address is in a verified domain of the tenant. */
export async function isInDomainOf(
  reader: Reader,
  tenant_id: string,
  email_normalized: string,
): Promise<boolean> {
  const { it } = await reader.one(
    Exists,
    sql`
      select exists (select from identity.organization_domains
        where tenant_id = ${tenant_id} and domain = split_part(${email_normalized}, '@', 2)
          and state = 'verified') as it`,
  )
  return it
}

/**
 * The organization is disabled, and another may prove its domains. If it is enabled again, the next
 * daily check finds the records.
 */
export async function loseDomains(tx: Tx, tenant_id: string): Promise<void> {
  const lost = await tx.many(
    Row,
    sql`
      update identity.organization_domains set state = 'lost', version = version + 1
      where tenant_id = ${tenant_id} and state = 'verified'
      returning ${columns}`,
  )
  for (const row of lost) announceDomain(tx, 'changed', tenant_id, row)
}
