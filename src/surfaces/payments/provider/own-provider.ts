/** What an application gives to be its own payment provider. */
import type { KernelOf, SettingTable } from '#dodeca/kernel'
import type { PaymentProvider } from './port.ts'

/** A provider of an application, in the place of Stripe, with settings of its own. */
export type OwnPayments<Own extends SettingTable = SettingTable> = {
  readonly settings: Own
  /** A module with a double of it, as `sandbox` of a surface. */
  readonly sandbox?: URL
  // A method, so that a provider with settings of its own fits.
  open(kernel: KernelOf<Own>): PaymentProvider
}

export function paymentProvider<const Own extends SettingTable>(
  given: OwnPayments<Own>,
): OwnPayments {
  return given
}
