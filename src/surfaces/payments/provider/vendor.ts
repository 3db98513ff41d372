/** What a provider needs so that tenants can have accounts of their own with it. */
import type { Static, TSchema } from 'typebox'
import { Type } from 'typebox'
import { nullable } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import type { PaymentProvider } from './port.ts'

/** Sealed in the row of the account. */
export type AccountSecret = {
  readonly auth: Readonly<Record<string, string>>
  readonly webhook_secret: string | null
}

/** What is shown of the credentials. */
export const ShownAuth = Type.Object({
  last4: Type.String({ maxLength: 4 }),
  publishable_key: nullable(Type.String({ maxLength: 255 })),
})
export type ShownAuth = Static<typeof ShownAuth>

export type OpenAccount = {
  readonly provider: PaymentProvider
  /** The account's own id at the provider. It proves that the credentials work. */
  identify(): Promise<string>
  close(): Promise<void>
}

export type Vendor = {
  readonly name: string
  readonly methods: readonly string[]
  /** The members of `auth`. */
  readonly Auth: TSchema
  /** In words, for a caller whose `auth` does not fit. */
  readonly auth_says: string
  shown(auth: AccountSecret['auth']): ShownAuth
  /** Why these credentials must not be used on this platform. */
  fault(kernel: Kernel, auth: AccountSecret['auth']): string | undefined
  open(kernel: Kernel, secret: AccountSecret): OpenAccount
}
