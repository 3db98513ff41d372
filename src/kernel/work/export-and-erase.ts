/**
 * A person's data across all surfaces. Erasing an account writes one row for each surface in the
 * same transaction. Each surface's `erase` then runs as retried work until it succeeds, and once more
 * some minutes later: a request that ran beside it may have written after it looked. Exporting reads
 * from each surface in turn. The kernel itself stores personal data too (recorded outcomes of
 * requests), so it is one more source.
 */
import { Type } from 'typebox'
import type { Db, Reader, Tx } from '../database/db.ts'
import { sql, type Sql } from '../database/sql.ts'
import { again, done, dueQueue, retry, type DueQueue } from './due-queue.ts'

export type PersonalAccount = {
  readonly account_id: string
  readonly tenant_id: string
  /** The account and the API keys that it made. A row may belong to any of these. */
  readonly principal_ids: readonly string[]
  /** Its proven mail address, for `export` and `hide`. Work that erases later does not know it. */
  readonly address?: string
}
/** Only rows that were made before this time, or all rows if null. */
export type Erasing = PersonalAccount & { readonly made_before: string | null }
/** Only rows that were made before the account got its present owner. */
export type Earlier = PersonalAccount & { readonly made_before: string }
/** One item that is stored about a person: its kind (`link`, `session`), and its data as JSON. */
export type PersonalRecord = { readonly kind: string; readonly data: unknown }

/** The data that a surface stores about accounts, in any tenant. */
export type Personal = {
  export(account: PersonalAccount, signal: AbortSignal): AsyncIterable<PersonalRecord>
  /**
   * Runs in the transaction that erases the account, in a few statements: what others must not see
   * or send to from that commit on.
   */
  hide?(tx: Tx, account: PersonalAccount): Promise<void>
  /**
   * Runs in its own transactions, in portions if there may be many rows. After a crash or a failure
   * it runs again, so it must skip rows that are already erased.
   */
  erase(account: PersonalAccount, signal: AbortSignal): Promise<void>
  /**
   * Whether the surface still needs an account that nobody uses, for example for an order that is not
   * shipped. Such an account is not erased for being idle.
   */
  needs?(reader: Reader, account: PersonalAccount): Promise<boolean>
  /**
   * Disables everything that was set up in an account before its owner verified the mail address:
   * subscriptions, schedules, links, addresses. Nothing is deleted, because the owner may have set
   * it up and may want to enable it again.
   */
  suspend?(account: Earlier, signal: AbortSignal): Promise<void>
}

/** Yields all rows of a statement that reads them by id, a portion at a time. */
export async function* rowsById<T extends { readonly id: string }>(
  portion: number,
  fetch: (after: string | null) => Promise<readonly T[]>,
): AsyncGenerator<T> {
  for (let after: string | null = null; ;) {
    const rows: readonly T[] = await fetch(after)
    yield* rows
    if (rows.length < portion) return
    after = rows.at(-1)?.id ?? null
  }
}

export type PersonalData = {
  /** Call it in the transaction that erases the account. Erasing twice changes nothing. */
  erase(tx: Tx, account: PersonalAccount): Promise<void>
  /**
   * Call it in the transaction in which an account gets its owner. It disables everything that was
   * set up in the account before.
   */
  suspendEarlier(tx: Tx, account: PersonalAccount): Promise<void>
  /** Whether any surface still needs an account that nobody uses. */
  needs(reader: Reader, account: PersonalAccount): Promise<boolean>
  export(
    account: PersonalAccount,
    signal: AbortSignal,
  ): AsyncIterable<PersonalRecord & { readonly surface: string }>
  readonly queue: DueQueue
}

const name = 'kernel.erasures'
/** Longer than a request that was admitted before the erasure, and than its retries. */
const once_more_seconds = 300
const Erasure = Type.Object({
  id: Type.String(),
  account_id: Type.String(),
  surface: Type.String(),
  tenant_id: Type.String(),
  principal_ids: Type.Array(Type.String()),
  made_before: Type.Union([Type.String(), Type.Null()]),
  ran_before: Type.Boolean(),
})

/**
 * `sources` contains the personal data of each surface under the surface's name. The list is
 * complete once all surfaces are open.
 */
export function openPersonal(
  kernel: { readonly db: Db },
  sources: () => ReadonlyMap<string, Personal>,
): PersonalData {
  const all = () => new Map([['kernel', ownData(kernel)], ...sources()])
  return {
    erase: async (tx, account) => {
      for (const one of all().values()) await one.hide?.(tx, account)
      await request(tx, account, [...all().keys()], sql`null`)
    },
    // kernel.now() is the start of the transaction. The elapsed time is added, so that rows made
    // while the transaction ran count too.
    suspendEarlier: (tx, account) => {
      const surfaces = [...all()].filter(([, one]) => one.suspend).map(([surface]) => surface)
      return request(tx, account, surfaces, sql`kernel.now() + (clock_timestamp() - now())`)
    },
    needs: async (reader, account) => {
      for (const one of all().values()) if (await one.needs?.(reader, account)) return true
      return false
    },
    export: async function* (account, signal) {
      for (const [surface, source] of all()) {
        for await (const record of source.export(account, signal)) yield { surface, ...record }
      }
    },
    queue: dueQueue({
      name,
      table: name,
      key: ['id'],
      row: Erasure,
      load: sql`
        t.account_id, t.surface, t.tenant_id, t.principal_ids, t.made_before::text as made_before,
        t.erased_at is not null as ran_before`,
      batch: 20,
      concurrency: 4,
      lease_seconds: 300,
      retry: { first: 5, factor: 3, cap: 3600 },
      run: async ({ surface, ran_before, ...account }, signal) => {
        const source = all().get(surface)
        if (!source) return retry('surface_missing')
        const { made_before } = account
        if (made_before === null) await source.erase(account, signal)
        else await source.suspend?.({ ...account, made_before }, signal)
        // What the owner has enabled again meanwhile must not be suspended once more.
        return ran_before || made_before !== null ? done() : again(once_more_seconds)
      },
      finish: async (tx, { id }, outcome) => {
        if (outcome.end === 'retry') return
        await tx.run(sql`update kernel.erasures set erased_at = kernel.now() where id = ${id}`)
      },
    }),
  }
}

async function request(
  tx: Tx,
  { account_id, tenant_id, principal_ids }: PersonalAccount,
  surfaces: readonly string[],
  made_before: Sql,
): Promise<void> {
  await tx.run(sql`
    insert into kernel.erasures (account_id, surface, tenant_id, principal_ids, made_before)
    select ${account_id}, surface, ${tenant_id}, ${principal_ids}::uuid[], ${made_before}
    from unnest(${surfaces}::text[]) as s (surface)
    on conflict do nothing`)
  tx.wake(name)
}

/** Returns whether a row that was made at the given time is included. */
export function madeIn(created_at: Sql, { made_before }: Pick<Erasing, 'made_before'>): Sql {
  return sql`(${made_before}::timestamptz is null or ${created_at} <= ${made_before}::timestamptz)`
}

const batch = 1000

function ownData({ db }: { readonly db: Db }): Personal {
  return {
    // Recorded outcomes are not exported, because the surfaces export the same data.
    export: async function* () {},
    erase: async ({ principal_ids }, signal) => {
      const some = () =>
        db.run(sql`
          delete from kernel.idempotency_records where (principal_id, operation, key) in (
            select principal_id, operation, key from kernel.idempotency_records
            where principal_id = any(${principal_ids}::uuid[]) and state = 'completed'
            limit ${batch})`)
      while ((await some()) === batch) signal.throwIfAborted()
      const requests = () =>
        db.run(sql`
          delete from kernel.requests where id in (
            select id from kernel.requests
            where principal_id = any(${principal_ids}::uuid[]) limit ${batch})`)
      while ((await requests()) === batch) signal.throwIfAborted()
      await db.run(sql`
        delete from kernel.deprecated_calls where principal_id = any(${principal_ids}::uuid[])`)
    },
  }
}
