/** The push services that a device may name: those of the settings and, in development, the sandbox. */
import { openOutsideWorld } from '../../../kernel/outgoing/sandbox-control.ts'
import type { Deps } from '../deps.ts'
import type { PushHosts } from './read-address.ts'

export function openPushHosts({ kernel }: Pick<Deps, 'kernel'>): () => Promise<PushHosts> {
  const outside = openOutsideWorld(kernel.data_dir)
  const sandboxed = kernel.profile === 'development'
  return async () => ({
    hosts: kernel.settings['notifications.push_hosts'],
    sandbox: sandboxed ? ((await outside.addresses())?.['push']?.['api'] ?? null) : null,
  })
}
