/** Reads who the active people behind accounts and API keys of a tenant are, without an address. */
import { Type } from 'typebox'
import { Id, nullable, sql, type Reader } from '#dodeca/kernel'
import type { Recipient } from '../face.ts'

const Row = Type.Object({
  principal_id: Id,
  id: Id,
  display_name: nullable(Type.String()),
  locale: nullable(Type.String()),
})

export async function readPeople(
  reader: Reader,
  tenant_id: string,
  principal_ids: readonly string[],
): Promise<Recipient[]> {
  if (principal_ids.length === 0) return []
  return await reader.many(
    Row,
    sql`
      select w.id as principal_id, a.id, a.display_name, a.locale
      from unnest(${[...principal_ids]}::uuid[]) w (id)
      left join identity.api_keys k on k.tenant_id = ${tenant_id} and k.id = w.id
      join identity.accounts a on a.id = coalesce(k.account_id, w.id) and a.status = 'active'
        and (a.tenant_id = ${tenant_id} or exists (
          select from identity.role_assignments r
          where r.tenant_id = ${tenant_id} and r.account_id = a.id))`,
  )
}
