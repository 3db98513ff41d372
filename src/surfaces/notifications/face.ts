/**
 * What other surfaces may call. The functions write in the caller's transaction, once for each key,
 * and throw only if the calling code is wrong. If a person has no address, the state of the
 * notification says so. `Face` is for all surfaces, `Inside` for those of the platform.
 */
import type { Tx } from '#dodeca/kernel'
import type { Device, DeviceFault } from './destinations/read-address.ts'
import type { Channel, Data, Priority } from './schemas.ts'

export type Notice = {
  readonly tenant_id: string
  /** One notification for each key, such as `event:<id>`. */
  readonly key: string
  /** An account or an API key. An API key means the account that created it. */
  readonly user_id: string
  readonly category: string
  /** A built-in template, such as `notice`: `{subject, paragraphs, url?}`. */
  readonly template: string
  readonly data: Data
  readonly channels?: readonly Channel[]
  readonly priority?: Priority
  readonly dedupe?: { readonly key: string; readonly window_seconds: number }
  readonly digest?: { readonly key: string; readonly window_seconds: number }
}

export type Face = {
  /**
   * Tells one person of the tenant; `user_not_found` if there is no such account. The categories of
   * class security are the platform's own. Keys of one surface do not meet those of another.
   */
  notify(tx: Tx, notice: Notice): Promise<void>
}

export type Inside = Face & {
  notifyAll(tx: Tx, notices: readonly Notice[]): Promise<void>
  /**
   * Stores a device of a user and returns the id of the destination. Refuses an endpoint that is at
   * no known push service, since the platform would send requests to it.
   */
  registerDevice(
    tx: Tx,
    owner: { readonly tenant_id: string; readonly user_id: string },
    device: Device,
  ): Promise<{ readonly id: string } | { readonly refused: DeviceFault }>
  removeDestination(tx: Tx, at: { readonly tenant_id: string; readonly id: string }): Promise<void>
}
