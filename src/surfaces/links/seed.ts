/**
 * Demo links of the demo members: a campaign, a link that has ended, a disabled link, and a link
 * that waits for its scan. Members who already have links are not changed.
 */
import { Type } from 'typebox'
import { rfc3339, sql, type DemoTenant, type Principal, type Tx } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import { platformDomain } from './domains/find-domain.ts'
import type { CreateLink } from './schemas.ts'
import { createLinks } from './shortening/create-links.ts'
import { updateLink } from './shortening/update-link.ts'

const Held = Type.Object({ links: Type.Integer() })
const week_ms = 7 * 86_400_000

function ordersOf(slug: string, now_ms: number): CreateLink[] {
  const shop = `https://www.${slug}.example.com`
  return [
    {
      destination_url: `${shop}/sale?utm_source=newsletter`,
      alias: `${slug}-spring-sale`,
      title: 'Spring sale, newsletter',
      expires_at: rfc3339(now_ms + 4 * week_ms),
    },
    { destination_url: `${shop}/sale?utm_source=poster`, title: 'Spring sale, poster in the shop' },
    { destination_url: `${shop}/careers`, alias: `${slug}-jobs`, title: 'We are hiring' },
    {
      destination_url: `${shop}/vouchers/first-hundred`,
      alias: `${slug}-first-100`,
      title: 'Voucher for the first hundred',
      max_clicks: 100,
    },
    {
      destination_url: `${shop}/manuals/kettle-2.pdf`,
      title: 'Manual, printed on the box',
      policy: { redirect_status: 301 },
    },
    { destination_url: `${shop}/survey`, title: 'Survey of last autumn', code_length: 22 },
    { destination_url: 'https://bit.ly/demo-partner', title: 'Partner, behind another shortener' },
  ]
}

export async function seed(deps: Deps, tenants: readonly DemoTenant[]): Promise<string[]> {
  const made: string[] = []
  for (const { id: tenant_id, slug, member } of tenants) {
    const principal: Principal = {
      id: member,
      tenant_id,
      kind: 'account',
      session_id: null,
      aal: 'aal1',
      auth_time: 0,
    }
    const count = await deps.kernel.db.tx(tx => seedLinks(tx, deps, principal, slug))
    if (count > 0) made.push(`${count} links of a member (${slug})`)
  }
  return made
}

async function seedLinks(tx: Tx, deps: Deps, principal: Principal, slug: string): Promise<number> {
  const { links } = await tx.one(
    Held,
    sql`
      select count(*)::int as links from links.links
      where tenant_id = ${principal.tenant_id} and owner_id = ${principal.id}`,
  )
  if (links > 0) return 0
  const orders = ordersOf(slug, deps.kernel.clock.nowMs())
  const made = await createLinks(tx, deps, principal, orders, () => '')
  const survey = made.find(({ view }) => view.title?.startsWith('Survey'))
  if (survey) {
    const target = { domain: platformDomain(deps.platform), code: survey.view.code }
    await updateLink(tx, deps, principal, target, { state: 'disabled' }, null)
  }
  return made.length
}
