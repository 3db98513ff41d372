/** The values that the parts of the push vendor share. */
import type { HttpFaults } from '../http-fault.ts'
import type { Mailbox } from '../mailbox.ts'
import type { Account } from './account.ts'
import type { Subscriptions } from './subscriptions.ts'

export type Vended = {
  readonly mailbox: Mailbox
  readonly faults: HttpFaults
  readonly subscriptions: Subscriptions
  readonly account: Account
}
