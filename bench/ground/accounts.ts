/**
 * Accounts to read and to move money between: their ids are counted, so that pgbench can name the same
 * ones, and there are enough of them that two transfers rarely meet.
 */
import { analyzeFilled, ask } from './database.ts'
import { requestText } from './load.ts'
import type { Platform } from './platform.ts'

export const accounts_count = 10_000

export function accountId(number: number): string {
  return `018f0000-0000-7000-8000-${String(number).padStart(12, '0')}`
}

export async function makeAccounts(database_url: string, tenant_id: string): Promise<void> {
  await ask(
    database_url,
    `insert into book.accounts (tenant_id, id, name, balance_minor)
     select $1, ('018f0000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'Account ' || n, 1000000000
     from generate_series(1, ${accounts_count}) as n`,
    [tenant_id],
  )
  await analyzeFilled(database_url)
}

export function readRequests(platform: Platform): string[] {
  const { token } = platform
  return Array.from({ length: accounts_count }, (_, index) =>
    requestText({ path: `/v1/book/accounts/${accountId(index + 1)}`, token }),
  )
}

export function transferBody(number: number) {
  const from = (number * 7919) % accounts_count
  const to = (from + 1 + ((number * 104_729) % (accounts_count - 1))) % accounts_count
  return { from_id: accountId(from + 1), to_id: accountId(to + 1), amount_minor: 1 }
}

/** Transfers under keys: `key` of each, or a fresh one whenever it is sent. */
export function transferRequests(
  { token }: Platform,
  count: number,
  key: (number: number) => string = () => 'bench-{fresh}',
): string[] {
  return Array.from({ length: count }, (_, number) =>
    requestText({
      method: 'POST',
      path: '/v1/book/transfers',
      token,
      key: key(number),
      body: transferBody(number),
    }),
  )
}
