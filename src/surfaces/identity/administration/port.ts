/**
 * What whoever operates the platform's machine may do to tenants and accounts: the command line's side of
 * identity. Nobody's permissions are asked for; every act is audited under the given actor.
 */
import { type Static, Type } from 'typebox'
import { Id, nullable, Time } from '../../../kernel/http/shapes.ts'
import type { CreateTenant } from '../tenants/create-tenant.ts'
import type { Tenant } from '../tenants/find.ts'

export const AccountLine = Type.Object({
  id: Id,
  tenant: Type.String(),
  email: nullable(Type.String()),
  display_name: nullable(Type.String()),
  status: Type.String(),
  role_ids: Type.Array(Type.String()),
  created_at: Time,
})
export type AccountLine = Static<typeof AccountLine>

/** An account by its id or address, and its tenant by the slug. */
export type Who = { readonly tenant: string; readonly account: string }

export type NewPerson = {
  readonly tenant: string
  readonly email: string
  readonly password: string
  readonly display_name: string | null
  readonly role_ids: readonly string[]
}

export type Administration = {
  createTenant(draft: CreateTenant, actor: string): Promise<Tenant>
  /** Oldest first. */
  tenants(limit: number): Promise<Tenant[]>
  disableTenant(slug: string, actor: string): Promise<Tenant>
  /** Active and with a proven address; null where the address has an account already. */
  createAccount(person: NewPerson, actor: string): Promise<AccountLine | null>
  /** Of one tenant, or of all; newest first. */
  accounts(
    filter: { readonly tenant?: string | undefined; readonly status?: string | undefined },
    limit: number,
  ): Promise<AccountLine[]>
  /** False where nothing had to be changed. */
  grant(who: Who, role_id: string, actor: string): Promise<boolean>
  revoke(who: Who, role_id: string, actor: string): Promise<boolean>
  disableAccount(who: Who, actor: string): Promise<AccountLine>
  /** A one-time token with which the password is set; it is not mailed. */
  resetToken(who: Who, actor: string): Promise<{ token: string; link: string; expires_at: string }>
  rotateSigningKey(
    mode: 'graceful' | 'revoke',
    actor: string,
  ): Promise<{ kid: string; state: string }>
}
