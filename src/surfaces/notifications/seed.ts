/**
 * Demo notifications of the demo members: a template in two languages, preferences with quiet
 * hours, and an inbox with a few items. A tenant that already has the template is not changed.
 */
import { Type } from 'typebox'
import { sql, type DemoTenant, type Principal, type Tx } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import { notifyAll } from './intents/notify.ts'
import { putPreferences } from './preferences/put-preferences.ts'
import { changeStatus } from './templates/change-status.ts'
import { createTemplate } from './templates/create-template.ts'

const Known = Type.Object({ known: Type.Boolean() })
const name = 'parcel-on-its-way'

export async function seed(deps: Deps, tenants: readonly DemoTenant[]): Promise<string[]> {
  const made: string[] = []
  for (const { id: tenant_id, slug, member } of tenants) {
    const done = await deps.kernel.db.tx(tx => seedTenant(tx, deps, tenant_id, member))
    if (done) made.push(`a template, preferences and an inbox of a member (${slug})`)
  }
  return made
}

async function seedTenant(
  tx: Tx,
  deps: Deps,
  tenant_id: string,
  user_id: string,
): Promise<boolean> {
  const { known } = await tx.one(
    Known,
    sql`
      select exists (select from notifications.template_versions
        where tenant_id = ${tenant_id} and name = ${name}) as known`,
  )
  if (known) return false
  const principal: Principal = {
    id: user_id,
    tenant_id,
    kind: 'account',
    session_id: null,
    aal: 'aal1',
    auth_time: 0,
  }
  const version = await createTemplate(tx, principal, template)
  await changeStatus(tx, { tenant_id, name, version }, 'draft', 'published')
  const whose = { tenant_id, user_id }
  const quiet_hours = { start: '22:00', end: '07:00' }
  await putPreferences(
    tx,
    deps,
    whose,
    {
      timezone: 'Europe/Berlin',
      preferences: [
        { category: '*', channel: '*', enabled: true, quiet_hours },
        { category: 'social.activity', channel: 'email', enabled: false },
      ],
    },
    { if_match: undefined, if_none_match: undefined },
  )
  const notices = items.map((data, index) => ({
    ...whose,
    key: `seed:${user_id}:${index}`,
    category: 'order.updates',
    template: 'notice',
    channels: index === 0 ? (['in_app', 'email'] as const) : (['in_app'] as const),
    data,
  }))
  await notifyAll(tx, deps, notices)
  return true
}

const items = [
  {
    subject: 'Your order is on its way',
    paragraphs: ['Order A-1042 left our warehouse this morning.', 'It arrives in one to two days.'],
    url: '/orders/A-1042',
  },
  {
    subject: 'Your invoice is ready',
    paragraphs: ['The invoice of order A-1042 can be downloaded.'],
    url: '/orders/A-1042/invoice',
  },
  { subject: 'Welcome', paragraphs: ['This is your inbox. What concerns you arrives here.'] },
]

const template = {
  name,
  default_locale: 'en',
  channels: {
    email: {
      subject: 'Your parcel {{ parcel }} is on its way',
      body: '<h1>On its way</h1><p>{{ parcel }} arrives on {{ day | date_l: "full" }}.</p><p><a href="{{ link | safe_url }}">Follow it</a></p>',
    },
    sms: { body: 'Your parcel {{ parcel }} arrives on {{ day | date_l }}.' },
    in_app: {
      title: 'Your parcel is on its way',
      body: '{{ parcel }} arrives on {{ day | date_l }}.',
    },
  },
  locales: {
    de: {
      email: {
        subject: 'Ihr Paket {{ parcel }} ist unterwegs',
        body: '<h1>Unterwegs</h1><p>{{ parcel }} kommt am {{ day | date_l: "full" }} an.</p><p><a href="{{ link | safe_url }}">Verfolgen</a></p>',
      },
      sms: { body: 'Ihr Paket {{ parcel }} kommt am {{ day | date_l }} an.' },
      in_app: {
        title: 'Ihr Paket ist unterwegs',
        body: '{{ parcel }} kommt am {{ day | date_l }} an.',
      },
    },
  },
}
