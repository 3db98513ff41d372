/**
 * The dependencies that the use cases of commerce share, and the faces of other surfaces that
 * commerce calls.
 */
import type { Inside as Identity } from '../identity/face.ts'
import type { Inside as Messages } from '../notifications/face.ts'
import type { Inside as Payments } from '../payments/face.ts'
import type { Inside as Files } from '../uploads/face.ts'
import type { Kernel } from './settings.ts'

export type Needs = {
  readonly payments: Payments
  readonly files: Pick<Files, 'plugReaders' | 'requireAvailable' | 'signDownload'>
  readonly messages: Pick<Messages, 'notifyAll' | 'plugMails' | 'forgetMails' | 'readEmail'>
  readonly people: Pick<
    Identity,
    'publicTenant' | 'recipients' | 'isOpen' | 'leadsHome' | 'rolesOf'
  >
}

export type Deps = Needs & { readonly kernel: Kernel }

/** The queue of operations for payments; also the name of its topic. */
export const operations_name = 'commerce.payment_operations'
