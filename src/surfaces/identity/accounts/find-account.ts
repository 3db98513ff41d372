/** Reads accounts, and increments the version that orders all events of an account. */
import { Type } from 'typebox'
import { Id, sql, type PersonalAccount, type Reader, type Sql, type Tx } from '#dodeca/kernel'
import { AccountRow, Versioned } from '../schemas.ts'

export const accountColumns = sql`id, tenant_id, kind, email, email_normalized, status, verified_at,
  display_name, locale, version, created_at`

export function accountById(reader: Reader, id: string): Promise<AccountRow | undefined> {
  return reader.maybe(
    AccountRow,
    sql`select ${accountColumns} from identity.accounts where id = ${id}`,
  )
}

export function accountInTenant(
  reader: Reader,
  tenant_id: string,
  id: string,
): Promise<AccountRow | undefined> {
  return reader.maybe(
    AccountRow,
    sql`
      select ${accountColumns} from identity.accounts
      where tenant_id = ${tenant_id} and id = ${id}`,
  )
}

/** The tenant that has the rows of an account, whichever tenant the person works in. */
export function homeOf(id: string): Sql {
  return sql`(select a.tenant_id from identity.accounts a where a.id = ${id})`
}

const Keys = Type.Object({ ids: Type.Array(Id) })

/**
 * Returns the ids of the account and of the API keys that it made. Surfaces store data under all of
 * these ids.
 */
export async function principalsOf(
  reader: Pick<Reader, 'one'>,
  account: Pick<AccountRow, 'id' | 'tenant_id'> &
    Partial<Pick<AccountRow, 'email_normalized' | 'verified_at'>>,
): Promise<PersonalAccount> {
  const { id, tenant_id, email_normalized, verified_at } = account
  const { ids } = await reader.one(
    Keys,
    sql`
      -- any tenant: also the keys where the account is a guest
      select coalesce(array_agg(id), '{}') as ids from identity.api_keys
      where account_id = ${id}`,
  )
  const proven = email_normalized && verified_at ? { address: email_normalized } : {}
  return { account_id: id, tenant_id, principal_ids: [id, ...ids], ...proven }
}

/** Takes the account's row lock: call it before `emit` on the aggregate `account`. */
export async function raiseAccountVersion(tx: Tx, account_id: string): Promise<number> {
  const { version } = await tx.one(
    Versioned,
    sql`
      update identity.accounts set version = version + 1
      where id = ${account_id} returning tenant_id, version`,
  )
  return version
}

/**
 * The same for many accounts in one statement, in the order of the ids. An id that is given twice gets
 * two versions.
 */
export async function raiseAccountVersions(
  tx: Tx,
  account_ids: readonly string[],
): Promise<number[]> {
  const raised = await tx.many(
    Type.Object({ id: Id, before: Type.Integer() }),
    sql`
      -- any tenant: guests of a tenant are at home in others
      with many as (
        select id, count(*) as n from unnest(${account_ids}::uuid[]) id group by id
      ), held as (
        select a.id, many.n from identity.accounts a join many on many.id = a.id
        order by a.id for no key update of a
      )
      update identity.accounts a set version = a.version + held.n
      from held where a.id = held.id
      returning a.id, a.version - held.n as before`,
  )
  const versions = new Map(raised.map(({ id, before }) => [id, before]))
  return account_ids.map(id => {
    const version = (versions.get(id) ?? 0) + 1
    versions.set(id, version)
    return version
  })
}

/** The account that has the address now. */
export function accountByAddress(
  reader: Reader,
  scope: string,
  normalized: string,
): Promise<AccountRow | undefined> {
  return reader.maybe(
    AccountRow,
    sql`
      select ${accountColumns} from identity.accounts
      where email_scope = ${scope} and email_normalized = ${normalized} and status <> 'deleted'`,
  )
}

/**
 * Whether the account keeps its address when another person proves the mailbox: its own mailbox was
 * verified, or an administrator invited or disabled the account.
 */
export function isOwned({
  verified_at,
  status,
}: Pick<AccountRow, 'verified_at' | 'status'>): boolean {
  return verified_at !== null || status !== 'active'
}
