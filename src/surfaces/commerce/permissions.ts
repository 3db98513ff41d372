/**
 * Permissions of a shop beyond the caller's own carts, orders and returns. Deciding on refunds
 * requires the duty of refunds, and a person never decides on their own return.
 */
import type { Permission } from '#dodeca/kernel'

const manager = ['shop_manager']
const refunds = { roles: ['refund_operator'], duty: 'refunds' } as const

export const permissions: Readonly<Record<string, Permission>> = {
  'commerce.products.write': { says: 'Create and change products', roles: manager },
  'commerce.prices.write': { says: 'Set prices', roles: manager },
  'commerce.inventory.read': { says: 'See stock', roles: [...manager, 'support_viewer'] },
  'commerce.inventory.adjust': { says: 'Adjust stock', roles: manager },
  'commerce.settings.write': {
    says: 'Set taxes, shipping methods, discounts and how the shop works',
    roles: manager,
  },
  'commerce.orders.read_any': {
    says: 'See orders and returns of all buyers',
    roles: [...manager, 'support_viewer', 'refund_operator'],
  },
  'commerce.orders.cancel_any': { says: 'Cancel orders of all buyers', ...refunds },
  'commerce.shipments.write': { says: 'Ship orders', roles: manager },
  'commerce.returns.decide': { says: 'Approve and reject returns', ...refunds },
  'commerce.returns.receive': { says: 'Receive returned goods', ...refunds },
  'commerce.audits.read': { says: 'Verify the books of the shop', roles: manager },
}
