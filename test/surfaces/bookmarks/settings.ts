/** The settings of this surface: name, default, unit, one sentence, bounds. */
import { setting, type KernelOf, type SettingTable } from '#dodeca/kernel'

export const settings = {
  'bookmarks.stale_days': setting.count(
    30,
    'days',
    'Time without a change after which a bookmark is stale',
    1,
    3650,
  ),
} as const satisfies SettingTable

export type Kernel = KernelOf<typeof settings>
