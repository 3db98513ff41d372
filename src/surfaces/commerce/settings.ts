/** The settings of this surface: name, default, unit, one sentence, bounds. */
import { count, type SettingTable } from '../../kernel/settings.ts'
import type { KernelOf } from '../../kernel/surface.ts'

// prettier-ignore
export const settings = {
  'commerce.reservation_ttl_seconds': count(900, 's', 'How long a pending order holds its goods', 5, 86_400),
  'commerce.payment_wait_ms': count(8000, 'ms', 'How long a checkout waits for the payment before it answers 202', 10, 60_000),
  'commerce.cart_lines': count(200, 'lines', 'Lines of one cart', 1, 200),
  'commerce.open_carts': count(20, 'carts', 'Open carts of one account', 1, 10_000),
  'commerce.pending_orders': count(3, 'orders', 'Orders of one buyer that wait for their payment', 1, 10_000),
  'commerce.cart_retention_days': count(30, 'days', 'How long a cart is kept after its last change', 1, 3650),
  'commerce.unknown_codes_per_hour': count(20, 'codes/h', 'Codes that are unknown or used up, as one account may try them', 1, 1e6),
  'commerce.order_total_max_minor': count(99_999_999, 'minor units', 'Largest total of an order', 1, 99_999_999),
} as const satisfies SettingTable

/** The kernel as this surface sees it: with the kernel's settings and its own. */
export type Kernel = KernelOf<typeof settings>
