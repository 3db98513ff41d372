/** The part of the port that keeps payment methods. A provider may do without it. */

/** What a payment of a customer was made with. */
export type UsedMethod = {
  readonly ref: string
  readonly customer_ref: string
  /** Whether the provider has kept it for payments without the payer. */
  readonly kept: boolean
  readonly method: string
  readonly brand: string | null
  readonly last4: string | null
  /** The last month in which it can be used, such as `2030-12`. */
  readonly exp: string | null
}

/** Customers of the provider, each with the id of ours. They move no money. */
export type ProviderCustomers = {
  create(customer: {
    readonly customer_id: string
    readonly tenant_id: string
    readonly key: string
  }): Promise<string>
  /** By our id. */
  find(customer_id: string): Promise<string | null>
  /** Its methods are detached with it. One that is gone already is no failure. */
  remove(ref: string, how: { readonly key: string }): Promise<void>
  /** Says whose payment it is, before it is confirmed. */
  assign(handle: string, ref: string, how: { readonly key: string }): Promise<void>
  /** One that is detached already is no failure. */
  detach(method_ref: string, how: { readonly key: string }): Promise<void>
}
