/**
 * What changes a link makes what an edge cache keeps of it wrong, and what ends a domain all that it keeps
 * of its links: the purge is written down in the transaction that hears of the change, and sent outside of
 * it until the edge has taken it.
 */
import { sql } from '../../../kernel/database/sql.ts'
import type { LoggedEvent } from '../../../kernel/events/event.ts'
import type { Consumer } from '../../../kernel/surface.ts'

/** Of a link, or of a whole domain. */
type About = { readonly domain_id: string; readonly link_id?: string; readonly code?: string }

export function purgeConsumer(): Consumer {
  return {
    name: 'links.edge_purges',
    events: [
      'link.updated',
      'link.disabled',
      'link.enabled',
      'link.expired',
      'link.deleted',
      'link.scanned',
      'domain.suspended',
      'domain.removed',
    ],
    run: async (tx, event: LoggedEvent) => {
      const { domain_id, link_id = null, code = '' } = event.payload as About // as events.ts declares them
      await tx.run(sql`
        insert into links.edge_purges (event_id, link_id, domain_id, code)
        values (${event.id}, ${link_id}, ${domain_id}, ${code})`)
    },
  }
}
