/** What tests ask of the people: a token, and grants that come and go. */
import type { Access, Principal } from '#dodeca/kernel'

export type Face = {
  token(principal: Principal): string
  grant(principal: Principal, permission: string): Promise<number>
  revoke(principal: Principal, permission: string): Promise<number>
  readonly access: Access
}
