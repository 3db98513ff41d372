/**
 * Claims a host. Several claims may compete until one of them is verified, so a claim alone gives
 * no rights. While a host is verified and active, other accounts cannot claim it.
 */
import { Type } from 'typebox'
import { newId, sql, Time, type NewProof, type Principal, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { hasPublicSuffix } from '../destinations/host.ts'
import { normalizeDestination, notAllowed, rulesOf } from '../destinations/normalize.ts'
import { screen, type Screening } from '../destinations/screen.ts'
import { problem } from '../errors.ts'
import { Domain, type NewDomain } from '../schemas.ts'
import { announceDomain, columns, proofs } from './domain-row.ts'
import { spelled } from './find-domain.ts'

const Facts = Type.Object({ taken: Type.Boolean() })
const Claimed = Type.Object({ ...Domain.properties, verification_expires_at: Time })

export type Claiming = Screening & Pick<Deps, 'platform'>

export async function claimDomain(
  tx: Tx,
  deps: Claiming,
  principal: Principal,
  order: { readonly hostname: string; readonly root_url?: string | null },
): Promise<NewDomain> {
  const { tenant_id, id: owner_id } = principal
  const { settings } = deps.kernel
  const hostname = carriableHost(deps, order.hostname)
  const root_url = order.root_url ? await rootOf(tx, deps, hostname, order.root_url) : null
  const { taken } = await tx.one(
    Facts,
    sql`
      -- any tenant: a proven host is in use, also in another tenant
      select exists (select from links.domains
        where hostname = ${hostname} and owner_id <> ${owner_id} and state = 'active') as taken`,
  )
  if (taken) throw problem('domain_in_use')
  const own = sql`
    -- any tenant: so many of one owner, wherever
    select from links.domains where owner_id = ${owner_id} and state <> 'removed'`
  const most = settings['links.domains_per_owner']
  await deps.kernel.counted(tx, `links.domains:${owner_id}`, most, own)
  const proof = proofs.make()
  const ttl_seconds = settings['links.verification_ttl_seconds']
  const made = await tx.maybe(
    Claimed,
    sql`
      insert into links.domains (tenant_id, id, owner_id, hostname, root_url,
        verification_token_hash, verification_expires_at)
      values (${tenant_id}, ${newId()}, ${owner_id}, ${hostname}, ${root_url}, ${proof.hash},
        kernel.now() + make_interval(secs => ${ttl_seconds}))
      on conflict do nothing
      returning ${columns}, verification_expires_at`,
  )
  if (!made) throw problem('domain_exists')
  announceDomain(tx, 'domain.created', { tenant_id, ...made }, { owner_id })
  return withProof(deps, made, proof)
}

async function rootOf(tx: Tx, deps: Claiming, hostname: string, root_url: string): Promise<string> {
  const destination = normalizeDestination(root_url, rulesOf(deps.kernel), '/root_url')
  if (destination.hostname === hostname) throw notAllowed('loop', '/root_url')
  await screen(tx, deps, destination, '/root_url')
  return destination.url
}

/** The only reply that contains the secret. */
export function withProof(
  { platform }: Pick<Deps, 'platform'>,
  { verification_expires_at, ...domain }: Domain & { readonly verification_expires_at: string },
  { record_value }: NewProof,
): NewDomain {
  return {
    ...domain,
    verification: {
      method: 'dns_txt',
      record_name: proofs.recordName(domain.hostname),
      record_value,
      expires_at: verification_expires_at,
    },
    routing: { cname_target: platform.hostname },
  }
}

/** Registrable names that do not belong to the platform can serve links. */
function carriableHost(
  { platform, kernel }: Pick<Deps, 'platform' | 'kernel'>,
  given: string,
): string {
  // A port or a path would be lost without a word.
  const hostname = /[:/?#@\\\s]/.test(given) ? '' : spelled(given)
  const ours = platform.owns(hostname)
  const detail = ours
    ? 'The host belongs to the platform.'
    : 'A name below a public suffix is needed, such as go.example.com, without scheme, port, path or wildcard.'
  if (ours || !hasPublicSuffix(hostname, kernel.settings['links.extra_suffixes'])) {
    throw problem('hostname_invalid', {
      detail,
      errors: [{ location: 'body', pointer: '/hostname', constraint: ours ? 'ours' : 'hostname' }],
    })
  }
  return hostname
}
