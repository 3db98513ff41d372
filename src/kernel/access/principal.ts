/**
 * The principal for which a request acts, and the port that finds it. The kernel knows no accounts:
 * the surface that owns the accounts provides an `Access`.
 */
import type { Reader } from '../database/db.ts'
import type { Problem } from '../errors/problem.ts'

export type Principal = {
  readonly id: string
  readonly tenant_id: string
  readonly kind: 'account' | 'service'
  readonly session_id: string | null
  readonly aal: 'aal1' | 'aal2'
  /** The time at which the principal last proved its identity, in seconds since the epoch. */
  readonly auth_time: number
  /** The end of a token that expires, in seconds since the epoch. */
  readonly expires_at?: number
  /** What a session may do that is narrower than its account (scopes.ts). A full one has none. */
  readonly scope?: ReadonlySet<string>
  /** The application to which the session was given. */
  readonly client_id?: string
  /** The session is bound to a tenant that is not the home of its account. */
  readonly away?: true
}

export type Credential = {
  readonly kind: 'bearer' | 'cookie'
  readonly token: string
  /** The API that is called, if it is not `/v1`: the path of its `resource` (RFC 8707). */
  readonly resource?: string | undefined
}

export type Access = {
  /** Returns the principal of a credential, or throws `invalid_token`. */
  authenticate(credential: Credential): Promise<Principal> | Principal
  /**
   * Whether the credential of the principal is still valid. While a stream is open, the kernel
   * calls this every second.
   */
  stands(principal: Principal): Promise<boolean> | boolean
  /**
   * Every permission that the principal holds now, read from the database in this request. The
   * pipeline takes from them what a scope does not have.
   */
  grants(reader: Reader, principal: Principal): Promise<ReadonlySet<string>>
  /** Whether an application in a browser has this origin. It calls without cookies. */
  isClientOrigin?(origin: string): Promise<boolean> | boolean
  /** The reason why a principal lacks a permission, unless a missing role is the reason. */
  whyDenied?(reader: Reader, principal: Principal, permission: string): Promise<Problem | null>
}
