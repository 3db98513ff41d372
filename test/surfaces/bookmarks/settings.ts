/** The settings of this surface: name, default, unit, one sentence, bounds. */
import { count, type SettingTable } from '../../../src/kernel/settings.ts'
import type { KernelOf } from '../../../src/kernel/surface.ts'

export const settings = {
  'bookmarks.stale_days': count(
    30,
    'days',
    'Time without a change after which a bookmark is stale',
    1,
    3650,
  ),
} as const satisfies SettingTable

export type Kernel = KernelOf<typeof settings>
