/**
 * After the database was restored to an earlier moment, what ended since then is in force again. Ends
 * all log-ins, and repeats from the damaged database what ended there: tenants, accounts, roles, API
 * keys, recovery codes, signing keys. Without that database nobody can say which API keys were revoked,
 * so all of them are. Each step can be repeated.
 */
import { Type } from 'typebox'
import { Id, rowsById, sql, type Reader } from '#dodeca/kernel'
import { accountById } from '../accounts/find-account.ts'
import { changeStatus } from '../accounts/change-status.ts'
import { eraseAccount } from '../accounts/erase-account.ts'
import { revokeKeys } from '../api-keys/revoke-keys-of.ts'
import type { Deps } from '../deps.ts'
import type { EndedAgain } from '../face.ts'
import { rotateSigningKey } from '../keys/rotate-signing-key.ts'
import { revokeRole } from '../roles/assign-role.ts'
import { default_tenant_id } from '../schemas.ts'
import { revokeTenantSessions } from '../sessions/revoke-sessions.ts'
import { changeTenant } from '../tenants/change-tenant.ts'

const portion = 500
const Named = Type.Object({ id: Id })
const Status = Type.Object({ id: Id, status: Type.String() })
const Role = Type.Object({ id: Id, account_id: Id, tenant_id: Id, role_id: Type.String() })
const Code = Type.Object({ account_id: Id, code_hash: Type.String() })

/** `old` is the damaged database, as it was when it was stopped. */
export async function endRestored(
  deps: Deps,
  old: Reader | null,
  actor: string,
): Promise<EndedAgain> {
  const sessions = await endLogins(deps, actor)
  const none = { tenants: 0, erased: 0, disabled: 0, roles: 0, recovery_codes: 0 }
  if (!old) return { ...none, sessions, api_keys: await endKeys(deps, null), signing_key: false }
  return {
    sessions,
    tenants: await endTenants(deps, old, actor),
    ...(await endAccounts(deps, old, actor)),
    roles: await endRoles(deps, old, actor),
    api_keys: await endKeys(deps, old),
    recovery_codes: await endRecoveryCodes(deps, old),
    signing_key: await endSigningKey(deps, old, actor),
  }
}

async function endLogins(deps: Deps, actor: string): Promise<number> {
  const { db } = deps.kernel
  let sessions = 0
  for await (const { id } of tenantsOf(db)) {
    sessions += await db.tx(async tx => {
      await tx.run(sql`delete from identity.one_time_challenges where tenant_id = ${id}`)
      // Nobody can stop them any more: the links for it are among the challenges.
      await tx.run(sql`
        update identity.factor_resets
        set state = 'withdrawn', ended_at = kernel.now(), due_at = null
        where tenant_id = ${id} and state = 'waiting'`)
      return await revokeTenantSessions(tx, deps, id, 'admin', { actor })
    })
  }
  return sessions
}

const tenantsOf = (reader: Reader) =>
  rowsById(portion, after =>
    reader.many(
      Named,
      sql`
        select id from identity.tenants
        where ${after}::uuid is null or id > ${after}::uuid
        order by id limit ${portion}`,
    ),
  )

async function endTenants(deps: Deps, old: Reader, actor: string): Promise<number> {
  const { db } = deps.kernel
  let ended = 0
  for await (const { id } of tenantsOf(db)) {
    const open = sql`select id from identity.tenants where id = ${id} and state = 'active'`
    const [here, there] = [await db.maybe(Named, open), await old.maybe(Named, open)]
    if (!here || there) continue
    await db.tx(tx => changeTenant(tx, deps, id, { state: 'disabled' }, { actor }))
    ended++
  }
  return ended
}

async function endAccounts(deps: Deps, old: Reader, actor: string) {
  const { db } = deps.kernel
  const ended = { erased: 0, disabled: 0 }
  const accounts = rowsById(portion, after =>
    old.many(
      Status,
      sql`
        -- any tenant: all that ended
        select id, status from identity.accounts
        where status in ('deleted', 'disabled') and (${after}::uuid is null or id > ${after}::uuid)
        order by id limit ${portion}`,
    ),
  )
  for await (const { id, status } of accounts) {
    const here = await accountById(db, id)
    if (!here || here.status === 'deleted' || here.status === status) continue
    const { tenant_id } = here
    if (status === 'deleted') {
      if (await db.tx(tx => eraseAccount(tx, deps, here, { actor }))) ended.erased++
    } else if (here.status === 'active') {
      await db.tx(tx => changeStatus(tx, deps, { tenant_id, id, status: 'disabled' }, { actor }))
      ended.disabled++
    }
  }
  return ended
}

async function endRoles(deps: Deps, old: Reader, actor: string): Promise<number> {
  const { db } = deps.kernel
  let ended = 0
  for await (const { id: tenant_id } of tenantsOf(db)) {
    const roles = (reader: Reader) =>
      reader.many(
        Role,
        sql`
          select account_id as id, account_id, tenant_id, role_id
          from identity.role_assignments where tenant_id = ${tenant_id}`,
      )
    const name = ({ account_id, role_id }: { account_id: string; role_id: string }) =>
      `${account_id}/${role_id}`
    const kept = new Set((await roles(old)).map(name))
    for (const role of await roles(db)) {
      if (kept.has(name(role))) continue
      if (await db.tx(tx => revokeRole(tx, deps, role, { actor }))) ended++
    }
  }
  return ended
}

async function endKeys({ kernel: { db } }: Deps, old: Reader | null): Promise<number> {
  let ended = 0
  const keys = (reader: Reader, which = sql`true`) =>
    reader.many(
      Named,
      sql`
        -- any tenant: all that can be used
        select id from identity.api_keys where state = 'active' and ${which}
        order by id limit ${portion}`,
    )
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const here = (await keys(db, sql`id > ${after}`)).map(one => one.id)
    const last = here.at(-1)
    if (last === undefined) return ended
    const there = old ? await keys(old, sql`id = any(${here}::uuid[])`) : []
    const kept = new Set(there.map(one => one.id))
    const gone = here.filter(id => !kept.has(id))
    ended += await db.tx(tx => revokeKeys(tx, sql`s.id = any(${gone}::uuid[])`))
    after = last
  }
}

/** A code that was used, or replaced by new ones. */
async function endRecoveryCodes({ kernel: { db } }: Deps, old: Reader): Promise<number> {
  let ended = 0
  for await (const { id: tenant_id } of tenantsOf(db)) {
    const unused = sql`
      select account_id, encode(code_hash, 'hex') as code_hash from identity.recovery_codes
      where tenant_id = ${tenant_id} and used_at is null`
    const there = new Set((await old.many(Code, unused)).map(one => one.code_hash))
    const gone = (await db.many(Code, unused))
      .map(one => one.code_hash)
      .filter(hash => !there.has(hash))
    ended += await db.run(sql`
      update identity.recovery_codes set used_at = kernel.now()
      where tenant_id = ${tenant_id} and used_at is null
        and encode(code_hash, 'hex') = any(${gone}::text[])`)
  }
  return ended
}

/** A key that was revoked may have been stolen, so the restored database signs with a new one. */
async function endSigningKey(deps: Deps, old: Reader, actor: string): Promise<boolean> {
  const { db } = deps.kernel
  const revoked = await old.many(
    Type.Object({ kid: Type.String() }),
    sql`select kid from identity.signing_keys where state = 'revoked'`,
  )
  const { it } = await db.one(
    Type.Object({ it: Type.Boolean() }),
    sql`
      select exists (select from identity.signing_keys
        where kid = any(${revoked.map(one => one.kid)}::text[]) and state <> 'revoked') as it`,
  )
  if (!it) return false
  const by = { actor, tenant_id: default_tenant_id }
  await db.tx(tx => rotateSigningKey(tx, deps, 'revoke', by))
  return true
}
