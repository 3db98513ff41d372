/** The push services that a device may name: those of the settings and, in development, the sandbox. */
import { openOutsideWorld } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { PushHosts } from './read-address.ts'

export async function readPushHosts({ kernel }: Pick<Deps, 'kernel'>): Promise<PushHosts> {
  const hosts = kernel.settings['notifications.push_hosts']
  if (kernel.profile !== 'development') return { hosts, sandbox: null }
  const addresses = await openOutsideWorld(kernel.data_dir).addresses()
  return { hosts, sandbox: addresses?.['push']?.['api'] ?? null }
}
