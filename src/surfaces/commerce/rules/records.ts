/** Stores the rules of a shop as records. Each is replaced as a whole and has a version. */
import { type Static, Type } from 'typebox'
import { requireConditions, sql, Time, Version } from '#dodeca/kernel'
import type { Conditions, Reader, RequestFacts, Tx } from '#dodeca/kernel'
import { usual_settings, type ShopSettings } from './schemas.ts'

export type RecordKind = 'settings' | 'tax_rule' | 'shipping_method' | 'discount' | 'collection'

export const RecordRow = Type.Object({
  key: Type.String(),
  record: Type.Unknown(),
  used: Type.Integer(),
  version: Version,
  updated_at: Time,
})
export type RecordRow = Static<typeof RecordRow>

/** With the uses of a code; 0 for all other kinds. */
export const recordColumns = sql`r.key, r.record, r.version, r.updated_at,
  coalesce((select u.used from commerce.discount_uses u
    where r.kind = 'discount' and u.tenant_id = r.tenant_id and u.code = r.key), 0) as used`

/** As in the index of discounts that need no code. */
export const isAutomatic = sql`r.kind = 'discount' and r.record @> '{"automatic": true}'`

export type RecordName = {
  readonly tenant_id: string
  readonly kind: RecordKind
  readonly key: string
}

export function findRecord(reader: Reader, { tenant_id, kind, key }: RecordName) {
  return reader.maybe(
    RecordRow,
    sql`
      select ${recordColumns} from commerce.shop_records r
      where r.tenant_id = ${tenant_id} and r.kind = ${kind} and r.key = ${key}`,
  )
}

export function conditionsOf({ headers }: Pick<RequestFacts, 'headers'>): Conditions {
  return { if_match: headers['if-match'], if_none_match: headers['if-none-match'] }
}

/**
 * The row is locked before the version is compared. If two requests send the same version, the
 * second is refused.
 */
export async function putRecord(
  tx: Tx,
  { tenant_id, kind, key }: RecordName,
  record: unknown,
  actor: string,
  conditions: Conditions,
): Promise<{ row: RecordRow; made: boolean }> {
  const before = await tx.maybe(
    Type.Object({ version: Version }),
    sql`
      select version from commerce.shop_records
      where tenant_id = ${tenant_id} and kind = ${kind} and key = ${key} for update`,
  )
  requireConditions(conditions, before?.version ?? null)
  const row = await tx.one(
    RecordRow,
    sql`
      insert into commerce.shop_records as r (tenant_id, kind, key, record)
      values (${tenant_id}, ${kind}, ${key}, ${sql.json(record)}::jsonb)
      on conflict (tenant_id, kind, key) do update
      set record = excluded.record, version = r.version + 1, updated_at = kernel.now()
      returning ${recordColumns}`,
  )
  // Another request has created the row since it was looked for.
  if (!before && row.version > 1) requireConditions(conditions, row.version - 1)
  tx.audit(`commerce.${kind}.put`, `${kind}:${key}`, { by: { tenant_id, id: actor } })
  return { row, made: row.version === 1 }
}

export async function shopSettings(reader: Reader, tenant_id: string): Promise<ShopSettings> {
  const found = await findRecord(reader, { tenant_id, kind: 'settings', key: 'settings' })
  return found ? settingsOf(found) : usual_settings
}

export function settingsOf({ record, version }: Pick<RecordRow, 'record' | 'version'>) {
  return { ...usual_settings, ...(record as Partial<ShopSettings>), version }
}
