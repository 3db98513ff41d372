/**
 * Settings and combinations of settings with which the platform cannot run. Each value alone may be
 * valid, so the fault can be found only by a rule over several settings. The kernel's rules are in
 * its `settings.ts`, and those of a surface in the surface's.
 */
import { faultsIn, proxyCheck, refusals } from '#dodeca/kernel'
import { openFaults } from '../kernel/faults.ts'
import { keys_missing, parseKeyring, parsePepper } from '../kernel/keys.ts'
import { kernelSettingFaults } from '../kernel/settings.ts'
import type { Config } from './configuration.ts'
import { tooManyProcesses } from './processes/places.ts'

export function platformFaults(config: Config): string[] {
  const { settings } = config
  const production = config.profile === 'production'
  const { 'kernel.keyring': keyring, 'kernel.pepper': pepper } = settings
  const direct = settings['kernel.database_direct_url']
  const crowd = tooManyProcesses(config)
  return [
    ...faultsIn([
      [
        production && settings['kernel.faults'] !== '',
        'KERNEL_FAULTS is for development: unset it, or set PROFILE=development.',
      ],
      [
        production && settings['kernel.sandbox'],
        'KERNEL_SANDBOX is for development: unset it, or set PROFILE=development.',
      ],
      [
        production && config.database_url === null && !config.embedded_by_name,
        'Production requires a database: set DATABASE_URL=postgres://user:password@host/database, or DATABASE_URL=embedded for the PostgreSQL of the data folder.',
      ],
      [
        config.database_url === null && direct !== null,
        'KERNEL_DATABASE_DIRECT_URL is set and DATABASE_URL is not: one database would be migrated and another one used. Set both, or neither.',
      ],
      [
        direct !== null && !URL.canParse(direct),
        'KERNEL_DATABASE_DIRECT_URL must look like postgres://user:password@host:5432/database.',
      ],
      [production && (keyring === null || pepper === null), keys_missing],
    ]),
    ...(crowd === null ? [] : [crowd]),
    ...kernelSettingFaults(settings),
    ...refusals({
      KERNEL_KEYRING: () => keyring !== null && parseKeyring(keyring),
      KERNEL_PEPPER: () => pepper !== null && parsePepper(pepper),
      KERNEL_TRUSTED_PROXIES: () => proxyCheck(settings['kernel.trusted_proxies']),
      KERNEL_FAULTS: () => openFaults(settings['kernel.faults']),
    }),
  ]
}
