/**
 * The personal data in links: the links and domains that a person created. Erasing deletes both and
 * removes the destinations. Codes and hosts stay as tombstones, so that a printed code never leads
 * elsewhere. No index finds a person's links over all tenants, because such an index would make
 * every creation slower. So export and erasure read all links in portions, in the order of their
 * keys.
 */
import { Type, type Static } from 'typebox'
import { Id, madeIn, nullable, personalRows, sql } from '#dodeca/kernel'
import type { Earlier, Erasing, Personal, PersonalAccount, Tx } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import { unscanned } from './destinations/scan-links.ts'
import { wholeDomain } from './domains/domain-row.ts'
import { removeDomain } from './domains/remove-domain.ts'
import { announce } from './shortening/announce.ts'

const portion = 5000
const blank = 'about:blank'

const Data = Type.Record(Type.String(), Type.Unknown())
const Key = Type.Object({ domain_id: Id, code: Type.String() })
type Key = Static<typeof Key>
const Looked = Type.Object({ last: nullable(Key), mine: Type.Array(Key), data: Type.Array(Data) })
const Gone = Type.Object({ tenant_id: Id, id: Id, version: Type.Integer(), ...Key.properties })
const Owned = Type.Object({ tenant_id: Id, owner_id: Id, id: Id })

type Needs = Pick<Deps, 'kernel' | 'changes'>

export function personalLinks(deps: Needs): Personal {
  const domains = personalRows(deps.kernel.db, [
    {
      kind: 'link_domain',
      table: 'links.domains',
      owner: 'owner_id',
      view: ['id', 'tenant_id', 'hostname', 'root_url', 'state', 'created_at'],
      erase: (tx, account) => eraseDomains(tx, deps, account),
    },
  ])
  return {
    export: async function* (account, signal) {
      yield* domains.export(account, signal)
      for await (const { data } of portions(deps, { ...account, made_before: null }, signal)) {
        for (const one of data) yield { kind: 'link', data: one }
      }
    },
    erase: async (account, signal) => {
      for await (const { mine } of portions(deps, { ...account, made_before: null }, signal)) {
        await eraseLinks(deps, mine)
      }
      await domains.erase(account, signal)
    },
    suspend: async (account, signal) => {
      for await (const { mine } of portions(deps, account, signal)) await disableLinks(deps, mine)
      await clearRoots(deps, account)
    },
  }
}

async function* portions({ kernel: { db } }: Needs, account: Erasing, signal: AbortSignal) {
  for (let after: Key | null = null; ;) {
    signal.throwIfAborted()
    const looked: Static<typeof Looked> = await db.one(Looked, look(account, after))
    yield looked
    if (looked.last === null) return
    after = looked.last
  }
}

/**
 * Reads the next portion of all links. Returns its last key (null at the end) and the person's
 * links.
 */
function look(account: Erasing, after: Key | null) {
  const key = sql`jsonb_build_object('domain_id', l.domain_id, 'code', l.code)`
  return sql`
    -- any tenant: what one person made
    with looked as materialized (
      select tenant_id, domain_id, code, owner_id, destination_url, title, state, created_at
      from links.links
      where ${after === null}
        or (domain_id, code) > (${after?.domain_id ?? null}::uuid, ${after?.code ?? null}::text)
      order by domain_id, code limit ${portion}
    ), own as (
      select ${key} as key, jsonb_build_object('tenant_id', l.tenant_id, 'domain_id', l.domain_id,
        'code', l.code, 'destination_url', l.destination_url, 'title', l.title, 'state', l.state,
        'created_at', l.created_at) as data
      from looked l
      where l.owner_id = any(${account.principal_ids}::uuid[]) and l.destination_url <> ${blank}
        and ${madeIn(sql`l.created_at`, account)}
    )
    select (select ${key} from looked l order by l.domain_id desc, l.code desc
        limit case when (select count(*) from looked) = ${portion} then 1 else 0 end) as last,
      (select coalesce(jsonb_agg(key), '[]') from own) as mine,
      (select coalesce(jsonb_agg(data), '[]') from own) as data`
}

function isOf(mine: readonly Key[]) {
  return sql`(domain_id, code) in (select * from unnest(
    ${mine.map(one => one.domain_id)}::uuid[], ${mine.map(one => one.code)}::text[]))`
}

/** The links are disabled as if their owner had done it, so the owner may enable them again. */
async function disableLinks(
  { kernel: { db }, changes }: Needs,
  mine: readonly Key[],
): Promise<void> {
  if (mine.length === 0) return
  await db.tx(async tx => {
    const off = await tx.many(
      Gone,
      sql`
        -- any tenant: what one person made
        update links.links
        set owner_disabled = true, version = version + 1, updated_at = kernel.now(),
          disabled_by = case when state = 'disabled' then disabled_by else 'owner' end,
          state = 'disabled'
        where ${isOf(mine)} and state in ('active', 'pending_scan', 'disabled')
          and not owner_disabled
        returning tenant_id, id, domain_id, code, version`,
    )
    for (const link of off) {
      announce(tx, link, link.version, [{ type: 'link.disabled', data: { reason: 'owner' } }])
    }
    if (off.length > 0) await changes.changed(tx, off)
  })
}

/** A host stays with its owner, but leads nowhere by itself. */
async function clearRoots({ kernel: { db }, changes }: Needs, account: Earlier): Promise<void> {
  await db.tx(async tx => {
    const cleared = await tx.many(
      Type.Object({ id: Id }),
      sql`
        -- any tenant: what one person made
        update links.domains set root_url = null, updated_at = kernel.now()
        where owner_id = any(${account.principal_ids}::uuid[])
          and ${madeIn(sql`created_at`, account)} and root_url is not null
        returning id`,
    )
    if (cleared.length > 0) await changes.changed(tx, cleared.map(wholeDomain))
  })
}

async function eraseLinks({ kernel: { db }, changes }: Needs, mine: readonly Key[]): Promise<void> {
  if (mine.length === 0) return
  const keys = isOf(mine)
  await db.tx(async tx => {
    const gone = await tx.many(
      Gone,
      sql`
        -- any tenant: what one person made
        update links.links
        set state = 'deleted', disabled_by = null, ${unscanned}, version = version + 1,
          updated_at = kernel.now()
        where ${keys} and state <> 'deleted'
        returning tenant_id, id, domain_id, code, version`,
    )
    await tx.run(sql`
      -- any tenant: what one person made
      update links.links set title = null, destination_url = ${blank}, destination_host = ''
      where ${keys}`)
    for (const link of gone) announce(tx, link, link.version, [{ type: 'link.deleted' }])
    if (gone.length > 0) await changes.changed(tx, gone)
  })
}

/** One domain at a time, so that a failure does not repeat the work of others. */
async function eraseDomains(
  tx: Tx,
  deps: Needs,
  { principal_ids }: PersonalAccount,
): Promise<number> {
  const own = await tx.many(
    Owned,
    sql`
      -- any tenant: what one person made
      select tenant_id, owner_id, id from links.domains
      where owner_id = any(${principal_ids}::uuid[]) and (state <> 'removed' or root_url is not null)
      limit 1`,
  )
  for (const { tenant_id, owner_id, id } of own) {
    await removeDomain(tx, deps, { tenant_id, id: owner_id }, id)
    await tx.run(sql`
      update links.domains set root_url = null
      where tenant_id = ${tenant_id} and owner_id = ${owner_id} and id = ${id}`)
  }
  return own.length
}
