/** The settings of this surface: name, default, unit, one sentence, bounds. */
import { setting, type KernelOf, type SettingTable } from '#dodeca/kernel'

// prettier-ignore
export const settings = {
  'commerce.reservation_ttl_seconds': setting.count(900, 's', 'How long a pending order holds its goods', 5, 86_400),
  'commerce.payment_wait_ms': setting.count(8000, 'ms', 'How long a checkout waits for the payment before it answers 202', 10, 60_000),
  'commerce.cart_lines': setting.count(200, 'lines', 'Lines of one cart', 1, 200),
  'commerce.open_carts': setting.count(20, 'carts', 'Open carts of one account', 1, 10_000),
  'commerce.pending_orders': setting.count(3, 'orders', 'Orders of one buyer that wait for their payment', 1, 10_000),
  'commerce.guest_pending_orders': setting.count(5, 'orders', 'Orders of guests of one network and shop that wait for their payment', 1, 10_000),
  'commerce.guest_declines_per_hour': setting.count(20, 'declines/h', 'Declined payments of guests of one network and shop', 1, 1e6),
  'commerce.guest_kept_days': setting.count(400, 'days', 'How long the account of a guest is kept after its last order', 1, 3650),
  'commerce.unproven_mails_per_hour': setting.count(5, 'mails/h', 'Mails about orders to one address that its buyer has not proven', 1, 1e6),
  'commerce.order_page_days': setting.count(180, 'days', 'How long the link to the page of an order works', 1, 400),
  'commerce.cart_retention_days': setting.count(30, 'days', 'How long a cart is kept after its last change', 1, 3650),
  'commerce.unknown_codes_per_hour': setting.count(20, 'codes/h', 'Codes that are unknown or used up, as one account may try them', 1, 1e6),
  'commerce.automatic_discounts': setting.count(100, 'discounts', 'Discounts of one shop that need no code', 1, 1000),
  'commerce.collections': setting.count(1000, 'collections', 'Collections of one shop', 1, 100_000),
  'commerce.order_total_max_minor': setting.count(99_999_999, 'minor units', 'Largest total of an order', 1, 99_999_999),
} as const satisfies SettingTable

/** The kernel as this surface sees it: with the kernel's settings and its own. */
export type Kernel = KernelOf<typeof settings>
