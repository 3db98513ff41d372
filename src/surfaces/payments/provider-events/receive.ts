/**
 * Receives webhooks of the provider. They are verified with real time (in development the platform's
 * clock may be moved), and only the id of the object to read is stored.
 */
import { isId, type Provider } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { OpenProvider, ProviderEvent } from '../provider/port.ts'
import { events_queue, storeEvents } from './store-events.ts'

/** The platform's own accounts by the names of their providers, and each account of a tenant by its id. */
export function providerWebhooks({ kernel, providers }: Deps): Provider<ProviderEvent>[] {
  const receivers = new WeakMap<OpenProvider, Provider<ProviderEvent>>()
  const account = async (name: string) => {
    const found = isId(name) ? await providers.byId(name) : undefined
    if (!found) return undefined
    const receiver = receivers.get(found) ?? receiverOf(kernel, found)
    receivers.set(found, receiver)
    return receiver
  }
  const [first, ...rest] = providers.platform.map(one => receiverOf(kernel, one))
  return first ? [{ ...first, account }, ...rest] : []
}

function receiverOf(kernel: Deps['kernel'], provider: OpenProvider): Provider<ProviderEvent> {
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
