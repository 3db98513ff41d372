/** Begins a session that is narrower than its account, as identity's ways in do it. */
import { sql } from '#dodeca/kernel'
import type { Platform } from '../src/runtime/open-platform.ts'
import { openAccessTokens } from '../src/surfaces/identity/keys/access-tokens.ts'
import { openSigningKeys } from '../src/surfaces/identity/keys/signing-keys.ts'
import { issueSession } from '../src/surfaces/identity/sessions/issue-session.ts'
import type { Narrowed } from '../src/surfaces/identity/sessions/narrowed.ts'
import { openDenied } from '../src/surfaces/identity/sessions/revocation-list.ts'
import { identity } from '../src/surfaces/identity/surface.ts'
import type { Member } from './product-world.ts'

export type Narrow = Pick<Member, 'token' | 'session_id' | 'refresh_token'>

type Account = Pick<Member, 'id' | 'tenant'>

/** Undefined if the account may not have such a session. */
export async function mayBegin(
  { kernelFor }: Platform,
  { id, tenant }: Account,
  narrowed: Partial<Narrowed>,
  aal: 'aal1' | 'aal2' = 'aal1',
): Promise<Narrow | undefined> {
  const kernel = kernelFor(identity)
  const keys = openSigningKeys(kernel)
  await keys.prepare()
  const denied = openDenied(kernel, keys)
  const deps = { kernel, denied, tokens: openAccessTokens(kernel, keys, denied) }
  const account = { id, tenant_id: tenant.id }
  const request = { headers: {}, ip: '127.0.0.1' }
  const proven = { account, aal, amr: ['pwd'], request, narrowed }
  const begun = await kernel.db.tx(tx => issueSession(tx, deps, proven))
  if (!begun) return undefined
  const { access_token: token = '', session_id, refresh_token = '' } = begun.body
  return { token, session_id, refresh_token }
}

/** Of the client `app` of an account, as nothing in the product does: what it began then lacks it. */
export async function rescope({ kernel }: Platform, account_id: string, ...scope: string[]) {
  await kernel.db.run(sql`
    update identity.sessions set scope = ${scope}::text[]
    where account_id = ${account_id} and client_id = 'app'`)
}

export async function beginNarrow(...begin: Parameters<typeof mayBegin>): Promise<Narrow> {
  const narrow = await mayBegin(...begin)
  if (!narrow) throw new Error('the session did not begin')
  return narrow
}
