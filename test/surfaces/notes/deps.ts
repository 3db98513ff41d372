/** What the use cases of notes share. */
import type { Kernel } from './settings.ts'

export type Deps = {
  readonly kernel: Kernel
  /** Where reminders are sent. */
  readonly vendor_url: string
}
