/** The parts of commerce, opened once and connected here. */
import { sql, type Surface } from '#dodeca/kernel'
import { plugCartRequests } from './cart-requests/pay-cart.ts'
import { plugImages } from './catalog/images.ts'
import { lapseQueue } from './checkout/lapse-orders.ts'
import { checks } from './checks.ts'
import { consumers } from './consumers.ts'
import type { Deps, Needs } from './deps.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import type { Face } from './face.ts'
import { plugOrderMails } from './messages/order-mails.ts'
import { templates } from './messages/templates.ts'
import { loops } from './loops.ts'
import { operationsQueue } from './payments/operations-queue.ts'
import { permissions } from './permissions.ts'
import { personalCommerce } from './personal.ts'
import { pricesQueue } from './prices/sort-prices.ts'
import { reference } from './reference.ts'
import { routes } from './routes.ts'
import { seed } from './seed.ts'
import { settings } from './settings.ts'
import { tenancy } from './tenancy.ts'

export const commerce: Surface<Face, Needs, typeof settings> = {
  name: 'commerce',
  settings,
  migrations: new URL('./migrations/', import.meta.url),
  tenancy,
  permissions,
  errors,
  events,
  reference,
  templates,
  needs: { payments: 'payments', files: 'uploads', messages: 'notifications', people: 'identity' },
  open: (kernel, needs) => {
    const deps: Deps = { ...needs, kernel }
    plugImages(deps)
    plugOrderMails(deps)
    plugCartRequests(deps)
    const kept_days = kernel.settings['commerce.cart_retention_days']
    return {
      face: {},
      routes: routes(deps),
      queues: [lapseQueue(deps), operationsQueue(deps), pricesQueue()],
      consumers: consumers(deps),
      loops: loops(deps),
      checks: checks(deps),
      retention: [
        {
          table: 'commerce.carts',
          key: ['tenant_id', 'owner_id', 'id'],
          where: sql`t.state <> 'locked'
            and t.touched_hour < (kernel.now() - make_interval(days => ${kept_days})) at time zone 'UTC'
            and t.updated_at < kernel.now() - make_interval(days => ${kept_days})`,
        },
      ],
      personal: personalCommerce(deps),
      seed: tenants => seed(deps, tenants),
    }
  },
}
