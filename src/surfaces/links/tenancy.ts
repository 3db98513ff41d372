/** Which rows of links belong to a tenant, where a column `tenant_id` does not say it. */
import type { Tenancy } from '#dodeca/kernel'

const of_a_link = `exists (
  select from links.links l
  where l.domain_id = t.domain_id and l.code = t.code and l.tenant_id = $1)`

export const tenancy: Tenancy = {
  // Redirects are answered from memory, so every process has to read that the link is gone.
  'links.links': { change_log: { table: 'links.link_changes', columns: ['domain_id', 'code'] } },
  'links.blocklist': { cell: 'what the operator blocks for all tenants' },
  'links.click_batches': { cell: 'a queue of clicks of all tenants that empties within seconds' },
  'links.click_losses': { cell: 'days on which the cell lost clicks' },
  'links.edge_purges': { cell: 'a queue for the edge cache of the cell' },
  'links.link_changes': { cell: 'what the caches of the cell have to read again' },
  'links.redirect_nodes': { cell: 'the processes of the cell that redirect' },
  'links.click_events': {
    rows: of_a_link,
    days: {
      column: 'occurred_at',
      prepare: 'select links.prepare_click_days($1::date, $1::date)',
    },
  },
  'links.daily_link_stats': { rows: of_a_link },
  'links.link_reports': { rows: of_a_link },
}
