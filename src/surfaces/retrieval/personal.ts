/**
 * The data that retrieval stores about a person, in every tenant. Erasing removes their answers,
 * their evaluation queries and their entries in access lists, and stops their connectors. Documents
 * that they added belong to the collections and stay. If no one manages a collection any more, the
 * administrators of its tenant do. When an account gets its owner, connectors from before are paused:
 * one of them could copy the owner's files into a collection that another person reads.
 */
import { Type } from 'typebox'
import type { Tx } from '../../kernel/database/db.ts'
import { sql, type Sql } from '../../kernel/database/sql.ts'
import { dueAt } from '../../kernel/work/due-queue.ts'
import {
  madeIn,
  rowsById,
  type Earlier,
  type Personal,
  type PersonalAccount,
} from '../../kernel/work/personal.ts'
import { callerOf } from './access/principals.ts'
import { answerView, findAnswer } from './answers/show-answer.ts'
import type { Deps, Needs } from './deps.ts'
import { announce } from './events.ts'
import type { Kernel } from './settings.ts'

const portion = 200
const Item = Type.Object({ id: Type.String(), data: Type.Unknown() })

const Asked = Type.Object({ id: Type.String(), tenant_id: Type.String(), query: Type.String() })

type Ids = readonly string[]

/** The exported data, read in portions after an id. */
const kinds: readonly { kind: string; read(ids: Ids, after: string | null): Sql }[] = [
  {
    kind: 'collection',
    read: (ids, after) => sql`
      -- any tenant: what one person made
      select c.id, jsonb_build_object('id', c.id, 'name', c.name, 'created_at', c.created_at)
        as data
      from retrieval.collections c
      where c.created_by = any(${ids}::uuid[]) and c.state = 'active'
        and (${after}::uuid is null or c.id > ${after}::uuid)
      order by c.id limit ${portion}`,
  },
  {
    kind: 'connector',
    read: (ids, after) => sql`
      -- any tenant: what one person set up
      select n.id, jsonb_build_object('id', n.id, 'collection_id', n.collection_id,
        'kind', n.kind, 'config', n.config, 'created_at', n.created_at) as data
      from retrieval.connectors n
      where n.created_by = any(${ids}::uuid[]) and n.state <> 'deleted'
        and (${after}::uuid is null or n.id > ${after}::uuid)
      order by n.id limit ${portion}`,
  },
  {
    kind: 'evaluation',
    read: (ids, after) => sql`
      -- any tenant: what one person set up
      select e.id, jsonb_build_object('id', e.id, 'collection_id', e.collection_id,
        'queries', e.queries) as data
      from retrieval.evaluations e
      where e.created_by = any(${ids}::uuid[]) and e.queries is not null
        and (${after}::uuid is null or e.id > ${after}::uuid)
      order by e.id limit ${portion}`,
  },
]

export function personalRetrieval({
  kernel: { db },
  people,
}: Pick<Deps, 'kernel' | 'people'>): Personal {
  return {
    export: async function* (account) {
      const { principal_ids } = account
      for await (const data of answersOf(db, { people }, account)) yield { kind: 'answer', data }
      for (const { kind, read } of kinds) {
        for (let after: string | null = null; ;) {
          const rows: { id: string; data: unknown }[] = await db.many(
            Item,
            read(principal_ids, after),
          )
          for (const { data } of rows) yield { kind, data }
          if (rows.length < portion) break
          after = rows.at(-1)?.id ?? null
        }
      }
    },
    erase: async ({ principal_ids }, signal) => {
      for (const erase of erasures) {
        let erased = 1
        while (erased > 0) {
          signal.throwIfAborted()
          erased = await db.tx(tx => erase(tx, principal_ids))
        }
      }
    },
    suspend: account => db.tx(tx => pauseConnectors(tx, account)),
  }
}

/** Each answer as `GET /v1/answers/{answer_id}` shows it to the person at this moment. */
async function* answersOf(
  db: Kernel['db'],
  needs: Pick<Needs, 'people'>,
  { account_id, principal_ids }: PersonalAccount,
) {
  const asked = rowsById(portion, after =>
    db.many(
      Asked,
      sql`
        -- any tenant: what one person asked
        select a.id, a.tenant_id, t.query
        from retrieval.answers a
        join retrieval.answer_texts t on t.tenant_id = a.tenant_id and t.id = a.id
        where a.actor_id = any(${principal_ids}::uuid[])
          and (${after}::uuid is null or a.id > ${after}::uuid)
        order by a.id limit ${portion}`,
    ),
  )
  for await (const { id, tenant_id, query } of asked) {
    const stored = await findAnswer(db, tenant_id, id)
    if (!stored) continue
    const asker = { id: account_id, tenant_id, kind: 'account', session_id: null } as const
    const { state, text, citations, created_at } = await answerView(
      db,
      await callerOf(db, needs, asker),
      stored,
    )
    yield { id, query, text, state, citations, created_at }
  }
}

const Paused = Type.Object({
  tenant_id: Type.String(),
  id: Type.String(),
  collection_id: Type.String(),
  version: Type.Integer(),
})

async function pauseConnectors(tx: Tx, account: Earlier): Promise<void> {
  const paused = await tx.many(
    Paused,
    sql`
      -- any tenant: what one person set up
      update retrieval.connectors
      set state = 'paused', version = version + 1, ${dueAt(sql`null`)}
      where created_by = any(${account.principal_ids}::uuid[]) and state in ('active', 'error')
        and ${madeIn(sql`created_at`, account)}
      returning tenant_id, id, collection_id, version`,
  )
  for (const { tenant_id, id, collection_id, version } of paused) {
    const of = { tenant_id, aggregate_type: 'connector', id, version } as const
    announce(tx, 'connector.paused', of, {
      connector_id: id,
      collection_id,
      reason: 'owner_changed',
    })
  }
}

const named = (ids: Ids) => ids.flatMap(id => [`user:${id}`, `service:${id}`])

/** Each function erases a portion and returns how many rows it found. */
const erasures: readonly ((tx: Tx, ids: Ids) => Promise<number>)[] = [
  (tx, ids) =>
    tx.run(sql`
      -- any tenant: what one person asked
      with mine as (
        select tenant_id, id from retrieval.answers
        where actor_id = any(${ids}::uuid[]) limit ${portion}
      ), texts as (
        delete from retrieval.answer_texts t using mine
        where t.tenant_id = mine.tenant_id and t.id = mine.id
      ), quotes as (
        delete from retrieval.citations q using mine
        where q.tenant_id = mine.tenant_id and q.answer_id = mine.id
      )
      delete from retrieval.answers a using mine
      where a.tenant_id = mine.tenant_id and a.id = mine.id`),
  (tx, ids) =>
    tx.run(sql`
      -- any tenant: what one person set up
      update retrieval.evaluations set queries = null, stored = false
      where created_by = any(${ids}::uuid[]) and queries is not null`),
  (tx, ids) =>
    tx.run(sql`
      -- any tenant: what one person set up
      update retrieval.connectors set state = 'deleted', config = '{}', acl = null, due_at = null,
        version = version + 1
      where created_by = any(${ids}::uuid[]) and state <> 'deleted'`),
  eraseCollectionEntries,
  (tx, ids) =>
    tx.run(sql`
      -- any tenant: entries of one person
      delete from retrieval.document_acl where principal_or_group = any(${named(ids)}::text[])`),
  (tx, ids) =>
    tx.run(sql`
      -- any tenant: entries of one person
      update retrieval.acl_sets s
      set entries = array(select e from unnest(s.entries) e where e <> all(${named(ids)}::text[])),
        digest = sha256(s.digest || convert_to(s.id::text, 'UTF8'))
      where s.entries && ${named(ids)}::text[]`),
]

async function eraseCollectionEntries(tx: Tx, ids: Ids): Promise<number> {
  await tx.run(sql`
    -- any tenant: collections that one person manages alone
    insert into retrieval.collection_acl (tenant_id, collection_id, principal_or_group, permission)
    select distinct a.tenant_id, a.collection_id, 'role:tenant_admin', 'manage'
    from retrieval.collection_acl a
    where a.principal_or_group = any(${named(ids)}::text[]) and a.permission = 'manage'
      and not exists (select from retrieval.collection_acl o
        where o.tenant_id = a.tenant_id and o.collection_id = a.collection_id
          and o.permission = 'manage' and o.principal_or_group <> all(${named(ids)}::text[]))
    on conflict (tenant_id, collection_id, principal_or_group) do update set permission = 'manage'`)
  return await tx.run(sql`
    -- any tenant: entries of one person
    delete from retrieval.collection_acl where principal_or_group = any(${named(ids)}::text[])`)
}
