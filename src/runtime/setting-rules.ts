/**
 * Combinations of settings that cannot work stop the start, before the data folder or the database
 * is touched. Each value alone is valid, so the error can be found only by a rule over several
 * settings. The kernel's rules are in its `settings.ts`. A surface declares its own as
 * `settingFaults`.
 */
import { proxyCheck } from '../kernel/access/client-address.ts'
import { StartError } from '../kernel/errors/start-error.ts'
import { kernelSettingFaults, type SettingTable } from '../kernel/settings.ts'
import type { KernelOf } from '../kernel/surface.ts'
import type { Config } from './config.ts'
import type { AnySurface } from './gather.ts'

export function refuseCombinations({ settings }: Config, surfaces: readonly AnySurface[]): void {
  // Each surface declares its own settings among these.
  const all = settings as KernelOf<SettingTable>['settings']
  const faults = [
    ...kernelSettingFaults(settings),
    ...surfaces.flatMap(one => one.settingFaults?.(all) ?? []),
  ]
  if (faults.length > 0) throw new StartError(faults.join('\n'))
  proxyCheck(settings['kernel.trusted_proxies'])
}
