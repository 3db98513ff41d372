/** Reads second factors. A pending factor is found only until its time to activate ends. */
import { Type, type Static } from 'typebox'
import { Id, nullable, page, sql, type List, type Reader } from '#dodeca/kernel'
import type { Kernel } from '../../settings.ts'
import { Method, MethodRow, MethodType } from '../schemas.ts'

const Offered = Type.Object({
  id: Id,
  type: MethodType,
  label: Type.String(),
  credential_id: nullable(Type.String()),
  transports: nullable(Type.Array(Type.String())),
})
export type Offered = Static<typeof Offered>

/** The active factors, the last used first. */
export function activeMethods(reader: Reader, account_id: string): Promise<Offered[]> {
  return reader.many(
    Offered,
    sql`
      select id, type, label, credential_id, transports from identity.mfa_methods
      where account_id = ${account_id} and status = 'active'
      order by last_used_at desc nulls last, id desc limit 100`,
  )
}

export function methodOf(
  reader: Reader,
  account_id: string,
  id: string,
): Promise<MethodRow | undefined> {
  return reader.maybe(
    MethodRow,
    sql`
      select id, tenant_id, account_id, type, status, encrypted_secret_or_public_key,
        credential_id, transports, registration_challenge
      from identity.mfa_methods where account_id = ${account_id} and id = ${id}`,
  )
}

export function listMethods(
  reader: Reader,
  { settings }: Pick<Kernel, 'settings'>,
  list: List,
  account_id: string,
) {
  const ttl_seconds = settings['identity.mfa_method_ttl_seconds']
  return page(reader, {
    scope: list,
    row: Method,
    place: ['id'],
    fetch: (after, n) => sql`
      select id, type, label, status, created_at, last_used_at from identity.mfa_methods
      where account_id = ${account_id}
        and (status = 'active' or (status = 'pending'
          and created_at > kernel.now() - make_interval(secs => ${ttl_seconds})))
        and (${after.id}::uuid is null or id < ${after.id}::uuid)
      order by id desc
      limit ${n}`,
  })
}
