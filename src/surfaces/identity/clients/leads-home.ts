/**
 * Whether a URL that a stranger names leads to where the operator or the tenant is at home. A page of
 * ours sends people only there: it carries the name of the tenant, and they believe it.
 */
import { Type } from 'typebox'
import { isAllowed, otherOrigins, sql, type Reader } from '#dodeca/kernel'
import { default_tenant_id } from '../schemas.ts'
import type { Kernel } from '../settings.ts'

const Registered = Type.Object({ redirect_uri: Type.String() })

export async function leadsHome(
  reader: Reader,
  { profile, public_url, settings }: Pick<Kernel, 'profile' | 'public_url' | 'settings'>,
  tenant_id: string,
  url: string,
): Promise<boolean> {
  const { origin, protocol } = URL.parse(url) ?? new URL('about:blank')
  if (protocol !== 'https:' && protocol !== 'http:') return false
  if (origin === new URL(public_url).origin) return true
  if (isAllowed(otherOrigins(profile, settings['kernel.cors_origins']), origin)) return true
  const registered = await reader.many(
    Registered,
    sql`
      select unnest(redirect_uris) as redirect_uri from identity.clients
      where tenant_id in (${tenant_id}, ${default_tenant_id}) and type in ('web', 'spa')
        and deleted_at is null`,
  )
  return registered.some(one => URL.parse(one.redirect_uri)?.origin === origin)
}
