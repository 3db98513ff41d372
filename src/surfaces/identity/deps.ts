/**
 * What identity's use cases share. It is put together once in surface.ts; a use case names the
 * members that it needs with `Pick<Deps, …>`, so that its dependencies are visible.
 */
import type { PermissionCatalog } from '../../kernel/access/permissions.ts'
import type { Access } from '../../kernel/access/principal.ts'
import type { Kernel } from './settings.ts'
import type { Denied } from './sessions/revocation-list.ts'
import type { SigningKeys } from './keys/signing-keys.ts'
import type { AccessTokens } from './keys/access-tokens.ts'
import type { PasswordHasher } from './passwords/hash.ts'
import type { Pace } from './sessions/pace.ts'

export type Deps = {
  readonly kernel: Kernel
  /** Every permission of the platform, with the built-in roles that hold it. */
  readonly permissions: PermissionCatalog
  readonly hasher: PasswordHasher
  readonly keys: SigningKeys
  readonly tokens: AccessTokens
  readonly denied: Denied
  readonly pace: Pace
  readonly access: Access
}
