/**
 * Begins a session for a visitor who does not say who they are: a new account without an address or
 * a way in, and one session whose scope is only what a guest needs. A visitor who loses the session loses
 * the account, unless the visitor has proven an address before (`email-changes/`).
 */
import { newId, sql } from '#dodeca/kernel'
import { scopeOfAnonymous } from '../anonymous/scope.ts'
import { takeFree } from '../captcha/require-captcha.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { emailScope, resolveTenant } from '../tenants/resolve-tenant.ts'
import type { LoggedIn, Wanted } from './begin-session.ts'
import { issueSession } from './issue-session.ts'

export async function logInAnonymously(deps: Deps, wanted: Wanted, seen: Seen): Promise<LoggedIn> {
  const { kernel } = deps
  const { settings, db } = kernel
  if (!settings['identity.anonymous']) throw problem('anonymous_off')
  const tenant = await resolveTenant(db, kernel, wanted.tenant, seen.headers['host'])
  if (tenant.signup !== 'open') throw problem('signup_closed')
  const bucket = (name: string, many: number) => ({ name, ip: seen.ip, many, per_seconds: 3600 })
  const free = settings['identity.captcha_free_anonymous']
  await takeFree(deps, [bucket('identity.anonymous', settings['identity.anonymous_per_hour'])], {
    purpose: 'anonymous',
    answer: wanted.captcha,
    free: bucket('identity.anonymous_free', free),
  })
  const id = newId()
  const account = { id, tenant_id: tenant.id }
  const idle_days = settings['identity.anonymous_idle_days']
  return await db.tx(async tx => {
    await tx.run(sql`
      with made as (
        insert into identity.accounts
          (tenant_id, id, kind, email_normalized, email_scope, status)
        values (${tenant.id}, ${id}, 'anonymous', ${`anonymous:${id}`},
          ${emailScope(kernel, tenant.id)}, 'active')
        returning tenant_id, id
      )
      insert into identity.anonymous_accounts (tenant_id, account_id, due_at)
      select tenant_id, id, kernel.now() + make_interval(days => ${idle_days}) from made`)
    const { device_name, delivery } = wanted
    const proven = { account, aal: 'aal1', amr: ['anonymous'], request: seen } as const
    const narrowed = { scope: scopeOfAnonymous(settings) }
    const delivered = await issueSession(tx, deps, { ...proven, device_name, delivery, narrowed })
    // The tenant was disabled in this moment.
    if (!delivered) throw problem('tenant_not_found')
    return { kind: 'session', delivered }
  })
}
