/**
 * Reports from the public. A reporter needs no account, and no data about the reporter is stored.
 * The reply is the same for our links and for any other URL.
 */
import { Type, type Static } from 'typebox'
import { closed, Id, newId, nullable, sql, text, Time, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { platform_domain_id } from '../domains/platform.ts'
import { spelled } from '../domains/find-domain.ts'
import { spellings } from '../shortening/codes.ts'

export const ReportLink = closed({ url: text(2048), reason: text(1000) }, { title: 'ReportLink' })
export type ReportLink = Static<typeof ReportLink>

export const ReportState = Type.Unsafe<'received' | 'resolved'>({
  type: 'string',
  enum: ['received', 'resolved'],
})
export const Received = Type.Object({ id: Id, state: Type.Literal('received') })
export const Report = Type.Object(
  {
    id: Id,
    url: Type.String(),
    reason: Type.String(),
    state: ReportState,
    domain_id: nullable(Id),
    code: nullable(Type.String()),
    created_at: Time,
    resolved_at: nullable(Time),
  },
  { title: 'LinkReport' },
)

const Reported = Type.Object({
  domain_id: Id,
  code: Type.String(),
  destination_host: Type.String(),
})

export async function reportLink(
  tx: Tx,
  { kernel, platform }: Pick<Deps, 'kernel' | 'platform'>,
  { url, reason }: ReportLink,
  ip: string,
): Promise<Static<typeof Received>> {
  const many = kernel.settings['links.reports_per_hour']
  await kernel.take(tx, [{ name: 'links.reports', ip, many, per_seconds: 3600 }])
  const link = await findReported(tx, platform, url)
  const id = newId()
  await tx.run(sql`
    insert into links.link_reports (id, url, reason, domain_id, code, destination_host)
    values (${id}, ${url}, ${reason}, ${link?.domain_id ?? null}, ${link?.code ?? null},
      ${link?.destination_host ?? null})`)
  return { id, state: 'received' }
}

async function findReported(tx: Tx, platform: Deps['platform'], url: string) {
  const parsed = URL.parse(url.includes('://') ? url : `https://${url}`)
  // A visitor who opened the preview first may report the preview's URL.
  const code = parsed?.pathname.slice(1).replace(/\+$/, '') ?? ''
  if (!parsed || !/^[A-Za-z0-9_-]{3,64}$/.test(code)) return undefined
  const hostname = spelled(parsed.hostname)
  const here = platform.hosts.has(hostname) ? platform_domain_id : null
  return tx.maybe(
    Reported,
    sql`
      -- any tenant: the reporter does not know whose it is
      select domain_id, code, destination_host from links.links
      where code = any(${spellings(code)}::text[]) and state <> 'deleted'
        and domain_id = coalesce(${here}::uuid, (
          select id from links.domains where hostname = ${hostname} and state in ('active', 'suspended')))
      order by code = ${code} desc
      limit 1`,
  )
}
