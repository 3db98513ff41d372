/**
 * The dependencies that identity's use cases share. surface.ts creates them once. A use case lists
 * the dependencies that it uses with `Pick<Deps, …>`, so that a reader sees them.
 */
import type { Access, LocalRate, PermissionCatalog, ReservedWords, TxtLookup } from '#dodeca/kernel'
import type { ClientDocuments } from './clients/client-documents.ts'
import type { Kernel } from './settings.ts'
import type { Denied } from './sessions/revocation-list.ts'
import type { SigningKeys } from './keys/signing-keys.ts'
import type { AccessTokens } from './keys/access-tokens.ts'
import type { Oidc } from './oidc/relying-party.ts'
import type { PasswordHasher } from './passwords/hash.ts'

export type Deps = {
  readonly kernel: Kernel
  /** Every permission of the platform, with the built-in roles that hold it. */
  readonly permissions: PermissionCatalog
  readonly hasher: PasswordHasher
  readonly keys: SigningKeys
  readonly tokens: AccessTokens
  readonly denied: Denied
  /** Refreshes of one session, counted in this process. A token of 256 bits needs no exact limit. */
  readonly pace: LocalRate
  /** The identity providers at which people may log in. */
  readonly oidc: Oidc
  readonly documents: ClientDocuments
  readonly access: Access
  /** The provider of captchas. */
  readonly lookUpTxt: TxtLookup
  /** Names that no organization may have. */
  readonly reserved: ReservedWords
}
