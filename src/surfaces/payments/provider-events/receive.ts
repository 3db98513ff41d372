/**
 * Receives webhooks of the provider. They are verified with real time (in development the platform's
 * clock may be moved), and only the id of the object to read is stored.
 */
import type { Provider } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { ProviderEvent } from '../provider/port.ts'
import { events_queue, storeEvents } from './store-events.ts'

export function providerWebhooks({ kernel, provider }: Deps): Provider<ProviderEvent> {
  const { clock } = kernel
  return {
    name: provider.name,
    accepted: 200,
    shares_commits: true,
    max_bytes: kernel.settings['payments.webhook_max_bytes'],
    verify: message => provider.verify(message, clock.nowSeconds() - clock.offsetSeconds()),
    receive: async (tx, events) => {
      await kernel.fault('payments.webhook')
      if ((await storeEvents(tx, provider, events)) > 0) tx.wake(events_queue)
    },
  }
}
