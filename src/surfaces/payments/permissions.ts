/**
 * The permissions of payments. No built-in role has two of the separated duties: only the refund
 * operator refunds, and the support viewer only reads. Actions on the provider's account as a whole
 * are for the platform operator.
 */
import type { Permission } from '#dodeca/kernel'

const merchant = ['merchant_service']
const readers = ['merchant_service', 'support_viewer', 'payments_finance', 'refund_operator']
const finance = ['payments_finance']
const operator = ['platform_operator']

export const permissions: Readonly<Record<string, Permission>> = {
  'payments.accounts.write': {
    says: 'See and change the own accounts of the tenant with payment providers, with their keys',
    roles: ['tenant_admin'],
    spends: false,
  },
  'payments.customers.read': { says: 'See customers', roles: readers },
  'payments.customers.write': { says: 'Create, change and delete customers', roles: merchant },
  'payments.intents.create': { says: 'Create payment intents', roles: merchant },
  'payments.intents.read': { says: 'See payment intents', roles: readers },
  'payments.intents.authorize': { says: 'Authorize payments', roles: merchant },
  'payments.intents.capture': { says: 'Capture authorized payments', roles: merchant },
  'payments.intents.cancel': { says: 'Cancel payments that are not captured', roles: merchant },
  'payments.methods.charge': {
    says: 'Charge saved payment methods while their payers are absent',
    roles: merchant,
  },
  'payments.requests.create': { says: 'Create payment requests and links', roles: merchant },
  'payments.requests.read': { says: 'See payment requests and links', roles: readers },
  'payments.requests.cancel': { says: 'Cancel payment requests and links', roles: merchant },
  'payments.refunds.create': {
    says: 'Refund captured payments',
    roles: ['refund_operator'],
    duty: 'refunds',
  },
  'payments.refunds.read': { says: 'See refunds', roles: readers },
  'payments.disputes.read': { says: 'See disputes', roles: ['payments_finance', 'support_viewer'] },
  'payments.ledger.read': { says: 'See the ledger', roles: [...finance, 'support_viewer'] },
  'payments.ledger.reverse': { says: 'Reverse transactions of the ledger', roles: operator },
  'payments.settlements.read': { says: 'See fees and settlements', roles: finance },
  'payments.reconciliations.run': {
    says: "Compare the books with the provider's",
    roles: operator,
  },
  'payments.reconciliations.read': { says: 'See reconciliation runs and items', roles: operator },
  'payments.reconciliations.resolve': { says: 'Resolve reconciliation items', roles: operator },
}
