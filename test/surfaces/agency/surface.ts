/** Deals of an agency. A deal that is won has a payment, a room and a plan in the same commit. */
import {
  given,
  Id,
  oneOf,
  PositiveAmount,
  record,
  resource,
  shown,
  sql,
  surface,
  text,
  type JobType,
} from '#dodeca/kernel'
import { Type } from 'typebox'

const deal = record('agency.deals', {
  noun: 'deal',
  tombstone: true,
  fields: {
    title: given(text(200)),
    amount_minor: given(PositiveAmount),
    client_id: given(Id),
    state: shown(oneOf('open', 'won'), 'open'),
    planned: shown(Type.Boolean(), false),
  },
})

const Planned = Type.Object({ deal_id: Id, owner_id: Id })

/** Runs later, and again after a crash. */
const planDeal: JobType = {
  type: 'agency.plan_deal',
  schema_version: 1,
  parameters: Planned,
  run: async job => {
    const { deal_id, owner_id } = job.parameters as { deal_id: string; owner_id: string }
    const scope = { tenant_id: job.tenant_id, owner_id }
    await job.commit(tx => deal.update(tx, scope, deal_id, { planned: true }))
  },
}

export const agency = surface({
  name: 'agency',
  migrations: new URL('./migrations/', import.meta.url),
  categories: {
    'agency.deals': { class: 'transactional', default_channels: ['email', 'in_app'] },
  },
  templates: {
    'agency.won': {
      default_locale: 'en',
      channels: {
        email: { subject: 'We begin: {{ title }}', body: 'We look forward to it.', format: 'text' },
        in_app: { title: 'We begin', body: '{{ title }}' },
      },
      locales: { de: { in_app: { title: 'Es geht los', body: '{{ title }}' } } },
    },
  },
  purposes: {
    'agency.contract': {
      largest: { document: 20 * 1024 * 1024, image: 20 * 1024 * 1024 },
      members: true,
      derivatives: [],
      checksum: 'deferred',
      erased: true,
    },
  },
  // The client of a deal has a right to its erasure too. The owner's rows follow from the resource.
  personal: [
    {
      kind: 'deal_with',
      table: 'agency.deals',
      owner: 'client_id',
      view: ['id', 'title', 'state', 'created_at'],
      erase: { set: sql`client_id = owner_id`, where: sql`t.client_id <> t.owner_id` },
    },
  ],
  open: () => ({ jobTypes: [planDeal] }),
  resources: [
    resource(deal, {
      path: '/v1/deals',
      one: 'deal',
      many: 'deals',
      of: 'owner',
      most: 10_000,
      kept_days: 30,
      needs: { payments: 'payments', rooms: 'chat', messages: 'notifications', jobs: 'jobs' },
      filters: ['state'],
      data: ['state'],
      routes: ({ post }, { scopeOf, emit }) => ({
        winDeal: post(
          '/v1/deals/{deal_id}/win',
          'Win a deal',
          { reply: deal.view, fails: ['invalid_transition', 'member_unknown', 'user_not_found'] },
          async ({ tx, params, principal }, { payments, rooms, messages, jobs }) => {
            const { id: owner_id, tenant_id } = principal
            const scope = scopeOf(principal)
            const from = { state: 'open' } as const
            const won = await deal.update(tx, scope, params.deal_id, { state: 'won' }, { from })
            const { id, title, amount_minor, client_id } = won
            await payments.createIntent(tx, {
              id,
              tenant_id,
              amount_minor,
              currency: 'EUR',
              order_ref: id,
              customer_account_id: client_id,
            })
            const member_ids = [owner_id, client_id]
            const room = await rooms.open(tx, { id, tenant_id, title, member_ids })
            await rooms.send(tx, {
              tenant_id,
              conversation_id: room.id,
              body: `We begin: ${title}`,
            })
            await messages.notify(tx, {
              tenant_id,
              user_id: client_id,
              key: id,
              category: 'agency.deals',
              template: 'agency.won',
              data: { title },
            })
            await jobs.submit(tx, {
              id,
              tenant_id,
              type: 'agency.plan_deal',
              principal_id: owner_id,
              parameters: { deal_id: id, owner_id },
            })
            emit(tx, 'changed', scope, won)
            return won
          },
        ),
      }),
    }),
  ],
})
