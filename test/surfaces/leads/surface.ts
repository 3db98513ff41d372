/** Leads of one person: an amount that is open until the lead is won. */
import {
  defaulted,
  exact,
  given,
  oneOf,
  PositiveAmount,
  record,
  resource,
  shown,
  surface,
  text,
} from '#dodeca/kernel'

const lead = record('leads.leads', {
  noun: 'lead',
  tombstone: true,
  fields: {
    title: given(text(200)),
    amount_minor: given(PositiveAmount),
    note: defaulted(text(2000, 0), ''),
    state: shown(oneOf('open', 'won'), 'open'),
  },
})

const all = resource(lead, {
  path: '/v1/leads',
  one: 'lead',
  many: 'leads',
  of: 'owner',
  most: 10_000,
  kept_days: 30,
  tools: true,
  filters: ['state'],
  sort: { amount: { column: 'amount_minor', type: 'bigint' } },
  find: [exact('title')],
  unique: ['leads_title'],
  data: ['state'],
  routes: ({ post }, { scopeOf, emit }) => ({
    winLead: post(
      '/v1/leads/{lead_id}/win',
      'Win a lead',
      { reply: lead.view, fails: ['invalid_transition'] },
      async ({ tx, params, principal }) => {
        const scope = scopeOf(principal)
        const from = { state: 'open' } as const
        const won = await lead.update(tx, scope, params.lead_id, { state: 'won' }, { from })
        emit(tx, 'changed', scope, won)
        return won
      },
    ),
  }),
})

export const leads = surface({
  name: 'leads',
  migrations: new URL('./migrations/', import.meta.url),
  resources: [all],
})
