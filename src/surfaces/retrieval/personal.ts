/**
 * The data that retrieval stores about a person, in every tenant. Erasing removes their answers,
 * their evaluation queries and their entries in access lists, and stops their connectors. Documents
 * that they added belong to the collections and stay. If no one manages a collection any more, the
 * administrators of its tenant do. When an account gets its owner, connectors from before are paused:
 * one of them could copy the owner's files into a collection that another person reads.
 */
import { type Static, Type } from 'typebox'
import type { Tx } from '../../kernel/database/db.ts'
import { sql } from '../../kernel/database/sql.ts'
import { dueAt } from '../../kernel/work/due-queue.ts'
import { madeOf, personalRows } from '../../kernel/work/personal-rows.ts'
import {
  madeIn,
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
const Asked = Type.Object({ id: Type.String(), tenant_id: Type.String() })
const Text = Type.Object({ query: Type.String() })

type Ids = readonly string[]

export function personalRetrieval({
  kernel: { db },
  people,
}: Pick<Deps, 'kernel' | 'people'>): Personal {
  return {
    ...personalRows(db, [
      {
        kind: 'answer',
        table: 'retrieval.answers',
        owner: 'actor_id',
        view: madeOf(Asked, (asked, account) => answerOf(db, { people }, asked, account)),
        erase: eraseAnswers,
      },
      {
        kind: 'collection',
        table: 'retrieval.collections',
        owner: 'created_by',
        where: sql`t.state = 'active'`,
        view: ['id', 'name', 'created_at'],
      },
      {
        kind: 'connector',
        table: 'retrieval.connectors',
        owner: 'created_by',
        where: sql`t.state <> 'deleted'`,
        view: ['id', 'collection_id', 'kind', 'config', 'created_at'],
        erase: {
          set: sql`state = 'deleted', config = '{}', acl = null, due_at = null,
            version = version + 1`,
          where: sql`t.state <> 'deleted'`,
        },
      },
      {
        kind: 'evaluation',
        table: 'retrieval.evaluations',
        owner: 'created_by',
        where: sql`t.queries is not null`,
        view: ['id', 'collection_id', 'queries'],
        erase: { set: sql`queries = null, stored = false`, where: sql`t.queries is not null` },
      },
      eraseCollectionEntries,
      {
        table: 'retrieval.document_acl',
        owner: ({ principal_ids }) =>
          sql`t.principal_or_group = any(${named(principal_ids)}::text[])`,
        key: ['document_id', 'principal_or_group'],
        erase: 'delete',
      },
      eraseSetEntries,
    ]),
    suspend: account => db.tx(tx => pauseConnectors(tx, account)),
  }
}

/** The answer as `GET /v1/answers/{answer_id}` shows it to the person at this moment. */
async function answerOf(
  db: Kernel['db'],
  needs: Pick<Needs, 'people'>,
  { tenant_id, id }: Static<typeof Asked>,
  { account_id }: PersonalAccount,
) {
  const asked = await db.maybe(
    Text,
    sql`select query from retrieval.answer_texts where tenant_id = ${tenant_id} and id = ${id}`,
  )
  const stored = await findAnswer(db, tenant_id, id)
  if (!asked || !stored) return undefined
  const asker = { id: account_id, tenant_id, kind: 'account', session_id: null } as const
  const { state, text, citations, created_at } = await answerView(
    db,
    await callerOf(db, needs, asker),
    stored,
  )
  return { id, query: asked.query, text, state, citations, created_at }
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

function eraseAnswers(tx: Tx, { principal_ids }: PersonalAccount): Promise<number> {
  return tx.run(sql`
    -- any tenant: what one person asked
    with mine as (
      select tenant_id, id from retrieval.answers
      where actor_id = any(${principal_ids}::uuid[]) limit ${portion}
    ), texts as (
      delete from retrieval.answer_texts t using mine
      where t.tenant_id = mine.tenant_id and t.id = mine.id
    ), quotes as (
      delete from retrieval.citations q using mine
      where q.tenant_id = mine.tenant_id and q.answer_id = mine.id
    )
    delete from retrieval.answers a using mine
    where a.tenant_id = mine.tenant_id and a.id = mine.id`)
}

function eraseSetEntries(tx: Tx, { principal_ids: ids }: PersonalAccount): Promise<number> {
  return tx.run(sql`
    -- any tenant: entries of one person
    update retrieval.acl_sets s
    set entries = array(select e from unnest(s.entries) e where e <> all(${named(ids)}::text[])),
      digest = sha256(s.digest || convert_to(s.id::text, 'UTF8'))
    where s.entries && ${named(ids)}::text[]`)
}

async function eraseCollectionEntries(
  tx: Tx,
  { principal_ids: ids }: PersonalAccount,
): Promise<number> {
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
