/** Identity's face, and its preparations before the first request. */
import { Type } from 'typebox'
import { nullable, sql, type Reader } from '#dodeca/kernel'
import { leadsHome } from './clients/leads-home.ts'
import { principalsOf } from './accounts/find-account.ts'
import { makeFirstAdministrator } from './accounts/make-first-administrator.ts'
import { openAdministration } from './operators/open-administration.ts'
import type { Deps } from './deps.ts'
import type { Inside } from './face.ts'
import { problem } from './errors.ts'
import { mailToSend } from './mails/mail-to-send.ts'
import { readRecipients } from './mails/read-recipients.ts'
import { accountRoles } from './roles/account-roles.ts'
import { holderGrants, openRecentGrants } from './roles/holder-grants.ts'
import { requireRank } from './roles/require-rank.ts'
import { demoTenants } from './seed.ts'
import { lookOf } from './pages/theme.ts'
import { requireStepUp } from './step-up.ts'
import { readMembers } from './tenants/read-members.ts'
import { findTenant, isOpen, nameOf } from './tenants/resolve-tenant.ts'

const Address = Type.Object({ address: Type.String(), locale: nullable(Type.String()) })
const Owner = Type.Object({ account_id: Type.String() })
const Exists = Type.Object({ it: Type.Boolean() })
const Session = Type.Object({ id: Type.String() })

/** A session `s` can still be used: it was refreshed in time, and may be refreshed again. */
const usable = sql`(s.revoked_at is null and s.expires_at > kernel.now()
  and s.refresh_expires_at > kernel.now())`

export function openFace(deps: Deps): Inside {
  const { kernel, keys, denied, hasher, tokens } = deps
  const { db } = kernel
  return {
    access: deps.access,
    grantsOf: (reader, holders) => holderGrants(reader, deps, holders),
    recentGrantsOf: openRecentGrants(db, deps),
    administration: openAdministration(deps),
    demoTenants: () => demoTenants(deps),
    mail: (mail_id, shown) => mailToSend(db, kernel, mail_id, shown),
    recipients: readRecipients,
    address: account_id =>
      db.maybe(
        Address,
        sql`
          select email as address, locale from identity.accounts
          where id = ${account_id} and status <> 'deleted' and email is not null`,
      ),
    isOpen,
    nameOf,
    lookOf,
    leadsHome: (reader, tenant_id, url) => leadsHome(reader, kernel, tenant_id, url),
    requireRank,
    requireStepUp: (reader, principal) => requireStepUp(reader, kernel, principal),
    accountExists: async (reader, tenant_id, account_id) => {
      const { it } = await reader.one(
        Exists,
        sql`
          select exists (select from identity.accounts where tenant_id = ${tenant_id}
            and id = ${account_id} and status <> 'deleted') as it`,
      )
      return it
    },
    keysOf: async (reader, account) => {
      const { principal_ids } = await principalsOf(reader, account)
      return principal_ids.filter(id => id !== account.id)
    },
    ownerOf,
    publicTenant: (reader, host) => findTenant(reader, kernel, undefined, host),
    sessionAlive: async session_id => {
      const { it } = await db.one(
        Exists,
        sql`
          select exists (select from identity.sessions s
            where s.id = ${session_id} and ${usable}) as it`,
      )
      return it
    },
    endedSessions,
    realtimeToken: (session_id, account_id, tenant_id, device_id) =>
      Promise.resolve(tokens.signRealtime({ session_id, account_id, tenant_id, device_id })),
    useRealtime: token => useRealtime(deps, token),
    hasEnded: denied.hasEnded,
    onSessionEnded: denied.onAdd,
    membersOf: readMembers,
    rolesOf: accountRoles,
    prepare: async first => {
      await hasher.prepare()
      await keys.prepare()
      await denied.start()
      if (first) await makeFirstAdministrator(deps, first)
    },
  }
}

async function ownerOf(reader: Reader, tenant_id: string, key_id: string) {
  const key = await reader.maybe(
    Owner,
    sql`
      select account_id from identity.api_keys
      where tenant_id = ${tenant_id} and id = ${key_id}`,
  )
  return key?.account_id ?? null
}

async function useRealtime({ kernel, tokens, denied }: Deps, token: string) {
  const { id, ...holder } = await tokens.verifyRealtime(token)
  if (await denied.hasEnded(holder.session_id, holder.tenant_id)) {
    throw problem('invalid_token', {
      detail: 'The session of this token has ended. Log in again.',
    })
  }
  const used = await kernel.db.run(sql`
    insert into identity.used_realtime_tokens (tenant_id, id)
    values (${holder.tenant_id}, ${id}) on conflict do nothing`)
  if (used === 1) return holder
  throw problem('invalid_token', {
    detail: 'The token was used before. Get a new one with `GET /v1/realtime-token`.',
  })
}

async function endedSessions(reader: Reader, session_ids: readonly string[]): Promise<string[]> {
  const ended = await reader.many(
    Session,
    sql`
      select w.id from unnest(${[...session_ids]}::uuid[]) w (id)
      where not exists (select from identity.sessions s
        where s.id = w.id and ${usable})`,
  )
  return ended.map(one => one.id)
}
