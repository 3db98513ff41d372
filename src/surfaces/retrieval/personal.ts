/**
 * The data that retrieval stores about a person, in every tenant. Erasing removes their answers,
 * their evaluation queries and their entries in access lists, and stops their connectors.
 * Collections that nobody else can see are deleted with their documents. Documents in other
 * collections belong to those and stay. If no one manages such a collection any more, the
 * administrators of its tenant do. When an account gets its owner, connectors from before are paused:
 * one of them could copy the owner's files into a collection that another person reads.
 */
import { type Static, Type } from 'typebox'
import { dueAt, madeIn, madeOf, nullable, personalRows, sql } from '#dodeca/kernel'
import type { Earlier, Personal, PersonalAccount, Tx } from '#dodeca/kernel'
import { callerOf } from './access/principals.ts'
import { answerView, findAnswer } from './answers/show-answer.ts'
import { dropCollection } from './collections/delete-collection.ts'
import type { Deps, Needs } from './deps.ts'
import { announce } from './events.ts'
import type { Kernel } from './settings.ts'

const portion = 200
/** The documents that are ingested at that moment are cancelled one by one. */
const erased_at_once = 20
const Asked = Type.Object({ id: Type.String(), tenant_id: Type.String() })
const Text = Type.Object({ query: Type.String() })

type Ids = readonly string[]

export function personalRetrieval(deps: Pick<Deps, 'kernel' | 'people' | 'jobs'>): Personal {
  const { people } = deps
  const { db } = deps.kernel
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
        kind: 'document',
        table: 'retrieval.documents',
        owner: ({ principal_ids }) => sql`
          (t.tenant_id, t.collection_id) in (${privateCollections(principal_ids)})`,
        where: sql`t.deleted_at is null`,
        view: madeOf(Stored, document => documentOf(db, document)),
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
      (tx, account) => erasePrivateCollections(tx, deps, account),
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

const Stored = Type.Object({ id: Type.String(), tenant_id: Type.String() })
const Document = Type.Object({
  id: Type.String(),
  collection_id: Type.String(),
  title: nullable(Type.String()),
  source_uri: nullable(Type.String()),
  text: nullable(Type.String()),
})

/** One at a time, because a text may have two million characters. */
async function documentOf(db: Kernel['db'], { tenant_id, id }: Static<typeof Stored>) {
  return await db.maybe(
    Document,
    sql`
      select d.id, d.collection_id, v.title, d.source_uri, coalesce(v.canonical, v.input_text) as text
      from retrieval.documents d
      join retrieval.document_versions v
        on v.tenant_id = d.tenant_id and v.document_id = d.id
      where d.tenant_id = ${tenant_id} and d.id = ${id} and d.deleted_at is null
      order by v.version desc limit 1`,
  )
}

/** The active collections whose access lists name only this person and their API keys. */
const privateCollections = (ids: Ids) => sql`
  select c.tenant_id, c.id from retrieval.collections c
  join retrieval.collection_acl a on a.tenant_id = c.tenant_id and a.collection_id = c.id
  where c.state = 'active' and a.principal_or_group = any(${named(ids)}::text[])
    and not exists (select from retrieval.collection_acl o
      where o.tenant_id = c.tenant_id and o.collection_id = c.id
        and o.principal_or_group <> all(${named(ids)}::text[]))`

/** Before their entries go: then administrators would see what nobody else saw. */
async function erasePrivateCollections(
  tx: Tx,
  deps: Pick<Deps, 'jobs'>,
  { account_id, principal_ids }: PersonalAccount,
): Promise<number> {
  const found = await tx.many(
    Stored,
    sql`
      -- any tenant: collections of one person
      update retrieval.collections p set name = p.id::text
      where (p.tenant_id, p.id) in (${privateCollections(principal_ids)} limit ${erased_at_once})
      returning p.tenant_id, p.id`,
  )
  for (const { tenant_id, id } of found) {
    await dropCollection(tx, deps, { tenant_id, id, submitter_id: account_id })
  }
  return found.length
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
