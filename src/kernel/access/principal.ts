/**
 * Who a request acts for, and the port through which the kernel learns it. The kernel knows no
 * accounts: the surface that owns them provides an `Access`.
 */
import type { Reader } from '../database/db.ts'
import type { Problem } from '../errors/problem.ts'

export type Principal = {
  readonly id: string
  readonly tenant_id: string
  readonly kind: 'account' | 'service'
  readonly session_id: string | null
  readonly aal: 'aal1' | 'aal2'
  /** Seconds since the epoch of the last proof of identity. */
  readonly auth_time: number
}

export type Credential = { readonly kind: 'bearer' | 'cookie'; readonly token: string }

export type Access = {
  /** The principal of a credential, or `invalid_token`. */
  authenticate(credential: Credential): Promise<Principal> | Principal
  /**
   * Whether the credential of the principal is still valid: checked every second while a stream is
   * open.
   */
  stands(principal: Principal): Promise<boolean> | boolean
  /** Every permission that the principal holds now, read from the database in this request. */
  grants(reader: Reader, principal: Principal): Promise<ReadonlySet<string>>
  /** Why a principal lacks a permission, where it is not for want of a role. */
  whyDenied?(reader: Reader, principal: Principal, permission: string): Promise<Problem | null>
}
