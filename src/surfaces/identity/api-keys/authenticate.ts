/** An API key as a credential: who it stands for and what it holds, both read from the rows each time. */
import type { Principal } from '../../../kernel/access/principal.ts'
import type { Reader } from '../../../kernel/database/db.ts'
import type { Kernel } from '../../../kernel/surface.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'

export async function apiKeyPrincipal(
  _kernel: Pick<Kernel, 'db' | 'clock'>,
  _key: string,
): Promise<Principal> {
  throw problem('invalid_token')
}

/** What the key was given, as far as its owner still holds it. */
export async function apiKeyGrants(
  _reader: Reader,
  _deps: Pick<Deps, 'permissions' | 'kernel'>,
  _principal: Principal,
): Promise<ReadonlySet<string>> {
  return new Set()
}
