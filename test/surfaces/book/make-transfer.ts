/**
 * Moves money between two accounts of one tenant: one conditional statement a side decides, in the order
 * of ids, so that opposite transfers cannot deadlock.
 */
import { newId, problemsOf, sql, type Principal, type Tx } from '#dodeca/kernel'
import { errors } from './errors.ts'
import { Moved, Transfer, type MakeTransfer } from './schemas.ts'

const problem = problemsOf(errors)

export async function makeTransfer(
  tx: Tx,
  { tenant_id }: Principal,
  { from_id, to_id, amount_minor }: MakeTransfer,
): Promise<Transfer> {
  const moved = await tx.many(
    Moved,
    sql`
      with locked as (
        select id from book.accounts
        where tenant_id = ${tenant_id} and id in (${from_id}, ${to_id})
        order by id for update
      )
      update book.accounts a
      set balance_minor = balance_minor + case when a.id = ${from_id} then -${amount_minor}::bigint else ${amount_minor}::bigint end,
        version = version + 1
      from locked
      where a.tenant_id = ${tenant_id} and a.id = locked.id
        and (select count(*) from locked) = 2
        and (select balance_minor from book.accounts
          where tenant_id = ${tenant_id} and id = ${from_id}) >= ${amount_minor}::bigint
      returning a.id as account_id, a.version`,
  )
  if (moved.length !== 2) throw await whyNot(tx, tenant_id, from_id, to_id)
  const transfer_id = newId()
  for (const { account_id, version } of moved) {
    tx.emit({
      type: 'account.moved',
      tenant_id,
      aggregate_type: 'account',
      aggregate_id: account_id,
      aggregate_version: version,
      data: { account_id, transfer_id },
    })
  }
  return await tx.one(
    Transfer,
    sql`
      insert into book.transfers (tenant_id, id, from_id, to_id, amount_minor)
      values (${tenant_id}, ${transfer_id}, ${from_id}, ${to_id}, ${amount_minor})
      returning id, from_id, to_id, amount_minor, created_at`,
  )
}

async function whyNot(tx: Tx, tenant_id: string, from_id: string, to_id: string) {
  const known = await tx.many(
    Moved,
    sql`
      select id as account_id, version from book.accounts
      where tenant_id = ${tenant_id} and id in (${from_id}, ${to_id})`,
  )
  return problem(known.length === 2 ? 'insufficient_funds' : 'account_not_found')
}
