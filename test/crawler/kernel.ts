/** The kernel's own routes, whichever surfaces stand on it. */
import { sql } from '../../src/kernel/database/sql.ts'
import { newId } from '../../src/kernel/ids.ts'
import type { Crawl, Maker } from './crawl.ts'

export const kernel: Crawl = {
  subjects: {
    '/problems/{code}': { shared: true, make: () => 'not_found' },
    '/v1/event-parks/{id}': { shared: true, make: makePark },
  },
  recipes: {
    // For a tenant that does not exist, so that nothing breaks while others crawl.
    'POST /dev/faults': {
      request: () => ({ body: { point: 'kernel.consumer', action: 'throw', match: newId() } }),
    },
    'POST /dev/clock': { request: () => ({ body: { offset_seconds: 0 } }) },
  },
}

/**
 * The inbox shows what the sandbox received, which does not run here; its own tests crawl with it.
 * The console is one page at any address below its own, and is tested in a browser.
 */
export const outside = /^\/(dev\/inbox|console)/

/** Only a consumer that gave up makes a dead park, so its row is written as that consumer leaves it. */
async function makePark({ world }: Maker): Promise<string> {
  const id = newId()
  await world.platform.kernel.db.run(sql`
    insert into kernel.event_parks
      (id, consumer, lane, aggregate_id, event_id, first_position, attempts, last_error_code, state)
    values (${id}, 'crawler.nobody', 0, ${newId()}, ${newId()}, 1, 6, 'crawled', 'dead')`)
  return id
}
