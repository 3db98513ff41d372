/** How the crawler comes by an event: an ordinary one, once the log has it. */
import type { Subject } from '../../../../testing/contract/crawl.ts'
import type { Member, ProductWorld } from '../../../../../test/product-world.ts'
import { eventually } from '../../../../../test/world.ts'
import { newId } from '#dodeca/kernel'

export const eventSubjects: Readonly<Record<string, Subject<ProductWorld, Member>>> = {
  '/v1/webhook-events/{event_id}': {
    make: ({ world, person }) =>
      world.platform.kernel.db
        .tx(async tx =>
          tx.emit({
            type: 'account.verified',
            tenant_id: person.tenant.id,
            aggregate_type: 'account',
            aggregate_id: newId(),
            aggregate_version: 1,
            data: { account_id: person.id },
          }),
        )
        .then(async id => {
          await eventually('the event is in the log', async () => {
            const { status } = await world.call('GET', `/v1/webhook-events/${id}`, person)
            return status === 200
          })
          return id
        }),
  },
}
