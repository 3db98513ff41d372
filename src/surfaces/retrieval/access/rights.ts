/**
 * SQL conditions that check the rights of a caller on the live rows. Every read and every write of
 * a collection or a document uses one of these conditions. The numbers in an index only make
 * searches cheaper.
 */
import { sql, type Sql } from '#dodeca/kernel'
import type { Right } from './acl-entries.ts'
import { atLeast } from './acl-entries.ts'
import type { Caller } from './principals.ts'

/** The collection is active, and its list gives the caller this right. */
export function mayCollection(
  { tenant_id, names }: Caller,
  right: Right,
  collection: 'c' | 't' = 'c',
): Sql {
  const c = sql`${sql.id(collection)}`
  return sql`(${c}.tenant_id = ${tenant_id} and ${c}.state = 'active' and exists (
    select from retrieval.collection_acl a
    where a.tenant_id = ${c}.tenant_id and a.collection_id = ${c}.id
      and a.principal_or_group = any(${names}::text[])
      and a.permission = any(${atLeast(right)}::text[])))`
}

/**
 * The caller may read the document `d`. They may read its collection, and the document either has
 * no list of its own or its list names them.
 */
export function isPresentTo({ tenant_id, names }: Caller, document: 'd' | 't' = 'd'): Sql {
  const d = sql`${sql.id(document)}`
  return sql`(${d}.tenant_id = ${tenant_id} and ${d}.deleted_at is null and (${d}.acl_set_id = 0 or exists (
    select from retrieval.acl_sets s
    where s.tenant_id = ${d}.tenant_id and s.id = ${d}.acl_set_id
      and s.entries && ${names}::text[])))`
}

/**
 * The caller may change the document `d`, according to its own list, or else the list of its
 * collection. A deleted document keeps its list.
 */
export function mayDocument(caller: Caller, right: Right): Sql {
  const { tenant_id, names } = caller
  return sql`(d.tenant_id = ${tenant_id} and case when d.acl_set_id <> 0 then exists (
      select from retrieval.document_acl a
      where a.tenant_id = d.tenant_id and a.document_id = d.id
        and a.principal_or_group = any(${names}::text[])
        and a.permission = any(${atLeast(right)}::text[]))
    else exists (
      select from retrieval.collection_acl a
      where a.tenant_id = d.tenant_id and a.collection_id = d.collection_id
        and a.principal_or_group = any(${names}::text[])
        and a.permission = any(${atLeast(right)}::text[])) end)`
}
