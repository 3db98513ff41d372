/** What an application without a token reads about our API: where people log in (RFC 9728). */
import { Type, type Static } from 'typebox'
import type { Deps } from '../deps.ts'
import { issuerOf } from '../keys/access-tokens.ts'
import { askableScopes } from './client.ts'

const Names = Type.Array(Type.String(), { maxItems: 100 })

export const ResourceMetadata = Type.Object(
  {
    resource: Type.String(),
    resource_name: Type.String(),
    authorization_servers: Names,
    scopes_supported: Names,
    bearer_methods_supported: Names,
  },
  { title: 'ProtectedResourceMetadata' },
)

export function resourceMetadata(
  { kernel, permissions }: Pick<Deps, 'kernel' | 'permissions'>,
  path: '/v1' | '/mcp' = '/v1',
): Static<typeof ResourceMetadata> {
  const { public_url } = kernel
  return {
    resource: public_url + path,
    resource_name: new URL(public_url).host,
    authorization_servers: [issuerOf(kernel)],
    // Many applications ask for all of these, so nothing can be changed with them. One that needs
    // more reads it in the refusal of what it tried.
    scopes_supported: askableScopes(permissions).filter(word =>
      /^(openid|profile|email|[a-z]+\.read)$/.test(word),
    ),
    bearer_methods_supported: ['header'],
  }
}
