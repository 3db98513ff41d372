/** The settings of this surface: name, default, unit, one sentence, bounds. */
import { count, type SettingTable } from '../../../src/kernel/settings.ts'
import type { KernelOf } from '../../../src/kernel/surface.ts'

// prettier-ignore
export const settings = {
  'bookmarks.per_owner': count(10_000, 'bookmarks', 'Bookmarks of one owner', 1, 1e6),
  'bookmarks.stale_days': count(30, 'days', 'Time without a change after which a bookmark is stale', 1, 3650),
  'bookmarks.deleted_retention_days': count(30, 'days', 'How long deleted bookmarks are kept', 0, 3650),
} as const satisfies SettingTable

export type Kernel = KernelOf<typeof settings>
