/** The settings of this surface: name, default, unit, one sentence, bounds. */
import { setting, type KernelOf, type SettingTable } from '#dodeca/kernel'

// prettier-ignore
export const settings = {
  'notes.notes_per_account': setting.count(100_000, 'notes', 'Notes of one account', 1, 1e6),
  'notes.deleted_retention_days': setting.count(30, 'days', 'How long deleted notes are kept', 0, 3650),
  'notes.draft_days': setting.count(30, 'days', 'How long a draft lasts', 1, 3650),
} as const satisfies SettingTable

export type Kernel = KernelOf<typeof settings>
