/**
 * A person's data across all surfaces. Erasing an account writes one row a surface in the same
 * commit, and each surface's `erase` then runs as retried work until it succeeds. Exporting asks
 * each surface in turn. The kernel itself keeps personal data too (recorded outcomes of requests),
 * which is one more source.
 */
import { Type } from 'typebox'
import type { Db, Tx } from '../database/db.ts'
import { sql } from '../database/sql.ts'
import { done, dueQueue, retry, type DueQueue } from './due-queue.ts'

export type PersonalAccount = { readonly account_id: string; readonly tenant_id: string }
/** One item that is kept about a person: its kind (`link`, `session`), and its data as JSON. */
export type PersonalRecord = { readonly kind: string; readonly data: unknown }

/** What a surface keeps about accounts, in any tenant. */
export type Personal = {
  export(account: PersonalAccount, signal: AbortSignal): AsyncIterable<PersonalRecord>
  /**
   * In its own transactions, in portions if there may be many rows. It runs again after a crash or
   * a failure, so it skips what is already erased.
   */
  erase(account: PersonalAccount, signal: AbortSignal): Promise<void>
}

export type PersonalData = {
  /** Call it in the commit that erases the account; erasing twice changes nothing. */
  erase(tx: Tx, account: PersonalAccount): Promise<void>
  export(
    account: PersonalAccount,
    signal: AbortSignal,
  ): AsyncIterable<PersonalRecord & { readonly surface: string }>
  readonly queue: DueQueue
}

const name = 'kernel.erasures'
const Erasure = Type.Object({
  account_id: Type.String(),
  surface: Type.String(),
  tenant_id: Type.String(),
})

/** `sources` by the names of their surfaces; known once all surfaces are open. */
export function openPersonal(
  kernel: { readonly db: Db },
  sources: () => ReadonlyMap<string, Personal>,
): PersonalData {
  const all = () => new Map([['kernel', ownData(kernel)], ...sources()])
  return {
    erase: async (tx, { account_id, tenant_id }) => {
      await tx.run(sql`
        insert into kernel.erasures (account_id, surface, tenant_id)
        select ${account_id}, surface, ${tenant_id}
        from unnest(${[...all().keys()]}::text[]) as s (surface)
        on conflict do nothing`)
      tx.wake(name)
    },
    export: async function* (account, signal) {
      for (const [surface, source] of all()) {
        for await (const record of source.export(account, signal)) yield { surface, ...record }
      }
    },
    queue: dueQueue({
      name,
      table: name,
      key: ['account_id', 'surface'],
      row: Erasure,
      load: sql`t.tenant_id`,
      batch: 20,
      concurrency: 4,
      lease_seconds: 300,
      retry: { first: 5, factor: 3, cap: 3600 },
      run: async ({ surface, ...account }, signal) => {
        const source = all().get(surface)
        if (!source) return retry('surface_missing')
        await source.erase(account, signal)
        return done()
      },
      finish: async (tx, { account_id, surface }, outcome) => {
        if (outcome.end !== 'done') return
        await tx.run(sql`
          update kernel.erasures set erased_at = kernel.now()
          where account_id = ${account_id} and surface = ${surface}`)
      },
    }),
  }
}

const batch = 1000

function ownData({ db }: { readonly db: Db }): Personal {
  return {
    // Recorded outcomes repeat what the surfaces export.
    export: async function* () {},
    erase: async ({ account_id }, signal) => {
      const some = () =>
        db.run(sql`
          delete from kernel.idempotency_records where (principal_id, operation, key) in (
            select principal_id, operation, key from kernel.idempotency_records
            where principal_id = ${account_id} and state = 'completed' limit ${batch})`)
      while ((await some()) === batch) signal.throwIfAborted()
    },
  }
}
