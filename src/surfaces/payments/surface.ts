/** Payments as the kernel sees it. This file opens the parts once and connects them. */
import { sql, type Surface } from '#dodeca/kernel'
import { sealedAccounts } from './provider/account-secrets.ts'
import { checks } from './checks.ts'
import { customers } from './customers/customer.ts'
import { endedCustomersQueue } from './customers/provider-customers.ts'
import { breaker_open, resolver_name, type Deps, type Needs } from './deps.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import type { Inside } from './face.ts'
import { balancesProjection } from './ledger/rebuild-balances.ts'
import { loops } from './loops.ts'
import { adviseProvider } from './provider/advise-provider.ts'
import { faceFor } from './face-for.ts'
import { openFace } from './open-face.ts'
import { detachedMethodsQueue } from './methods/detach-method.ts'
import { resolverQueue } from './operations/resolver.ts'
import { permissions } from './permissions.ts'
import { personalPayments } from './personal.ts'
import { providerEventsQueue } from './provider-events/process-events.ts'
import { providerWebhooks } from './provider-events/receive.ts'
import { openPlatform } from './provider/open-provider.ts'
import { openProviders } from './provider/open-providers.ts'
import type { OwnPayments } from './provider/own-provider.ts'
import type { OpenProvider } from './provider/port.ts'
import { reconciliationQueue } from './reconciliation/run-reconciliation.ts'
import { reference } from './reference.ts'
import { expiryQueue } from './requests/expire-requests.ts'
import { routes } from './routes.ts'
import { seed } from './seed.ts'
import { settings, type Kernel } from './settings.ts'
import { tenancy } from './tenancy.ts'

type Payments = Surface<Inside, Needs, typeof settings>

export const paymentsWith = (own?: OwnPayments): Payments => ({
  name: 'payments',
  settings: { ...settings, ...own?.settings },
  ...(own?.sandbox && { sandbox: own.sandbox }),
  migrations: new URL('./migrations/', import.meta.url),
  tenancy,
  permissions: { ...permissions, ...customers.permissions },
  errors: { ...errors, ...customers.errors },
  events: { ...events, ...customers.events },
  reference,
  needs: { identity: 'identity' },
  open: (kernel, { identity }) => {
    const platform = openPlatform(kernel, own?.open(kernel))
    const [provider] = platform
    // Operations that the breaker refused become due immediately when the provider works again.
    const recovered = ({ name }: OpenProvider) => {
      void recover(kernel, name).catch((error: unknown) => {
        kernel.log.warn({ err: error }, 'not recovered')
      })
    }
    for (const one of platform) one.onRecovered(() => recovered(one))
    const providers = openProviders(kernel, platform, recovered)
    const deps: Deps = { kernel, provider, providers, identity, owner: {} }
    const face = openFace(deps)
    const detached_days = kernel.settings['payments.customers_kept_days']
    const payer_days = kernel.settings['payments.payer_days']
    const kept_days = kernel.settings['payments.events_retention_days']
    return {
      face,
      faceFor: () => faceFor(deps),
      routes: routes(deps),
      providers: providerWebhooks(deps),
      queues: [
        resolverQueue(deps),
        providerEventsQueue(deps),
        reconciliationQueue(deps),
        expiryQueue(deps),
        detachedMethodsQueue(deps),
        endedCustomersQueue(deps),
      ],
      loops: loops(deps),
      checks: checks(deps),
      projections: [balancesProjection(deps)],
      retention: [
        customers.retention(kernel),
        {
          table: 'payments.payment_methods',
          key: ['tenant_id', 'id'],
          where: sql`t.due_at is null and t.detached_at < kernel.now() - make_interval(days => ${detached_days})`,
        },
        {
          table: 'payments.provider_events',
          key: ['provider', 'event_id'],
          where: sql`t.processed_at is not null
            and t.received_at < now() - make_interval(days => ${kept_days})`,
        },
        {
          table: 'payments.request_payers',
          key: ['tenant_id', 'request_id'],
          where: sql`t.created_at < kernel.now() - make_interval(days => ${payer_days})`,
        },
      ],
      sealed: [sealedAccounts],
      personal: personalPayments(deps),
      seed: tenants => seed(deps, face, tenants),
      advice: () => adviseProvider(deps),
      close: () => providers.close(),
    }
  },
})

async function recover(kernel: Kernel, provider: string): Promise<void> {
  await kernel.db.tx(async tx => {
    await tx.run(sql`
      -- any tenant: all that wait for one account
      update payments.payment_operations
      set due_at = kernel.now()
      where due_at > kernel.now() and provider = ${provider} and last_error_code = ${breaker_open}
        and state in ('created', 'pending_provider')`)
    tx.wake(resolver_name)
  })
}
