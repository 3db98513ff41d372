/**
 * The state of one process for redirects: its lease, the cache under that lease, and the clicks
 * that it has recorded. Before the first redirect no work runs here.
 */
import { join } from 'node:path'
import { newId, securityHeaders } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { openRecorder, type Recorder } from '../clicks/recorder.ts'
import { openSpool } from '../clicks/spool.ts'
import type { PlatformDomain } from '../domains/platform.ts'
import { Hosts, prefixOf } from './hosts.ts'
import { Lease } from './lease.ts'
import { Memory } from './memory.ts'

export type RedirectNode = {
  readonly node_id: string
  readonly lease: Lease
  readonly memory: Memory
  readonly hosts: Hosts
  readonly recorder: Recorder
  /** Headers of every redirect. Names and values alternate. */
  readonly common: readonly string[]
  close(): Promise<void>
}

export function openNode(kernel: Kernel, platform: PlatformDomain): RedirectNode {
  const { settings, data_dir } = kernel
  const node_id = newId()
  const common = commonHeaders(kernel)
  const memory = new Memory(kernel, common)
  const hosts = new Hosts(kernel, platform, () => lease.outlasting)
  const bytes_max = settings['links.click_spool_bytes']
  const spool = settings['links.click_spool']
    ? openSpool({ folder: join(data_dir, 'spool'), node_id, bytes_max })
    : null
  const recorder = openRecorder({ kernel, spool })
  const lease: Lease = new Lease({
    kernel,
    node_id,
    clicksSince: () => recorder.oldestMs(),
    spool,
    forget: () => {
      memory.clear()
      hosts.clear()
    },
    dropped: changes => {
      for (const { domain_id, code } of changes) {
        if (code === '') hosts.drop(domain_id)
        else memory.drop(`${prefixOf(domain_id)}/${code}`)
      }
    },
  })
  let adopting = false
  // The first wake-up happens when the process has started its work. A failure is tried again.
  const stopAdopting = kernel.onWake(() => {
    if (adopting) return
    adopting = true
    recorder.adopt().then(stopAdopting, (error: unknown) => {
      adopting = false
      kernel.log.error({ err: error }, 'old clicks were not found')
    })
  })
  return {
    node_id,
    lease,
    memory,
    hosts,
    recorder,
    common,
    close: async () => {
      stopAdopting()
      await lease.close()
      if (await recorder.close()) await lease.unregister().catch(() => {})
    },
  }
}

function commonHeaders({ public_url }: Pick<Kernel, 'public_url'>): string[] {
  const { 'cache-control': _cache, 'referrer-policy': _referrer, ...others } = securityHeaders
  const transport = { 'strict-transport-security': 'max-age=31536000' }
  return Object.entries({
    ...others,
    ...(public_url.startsWith('https:') ? transport : {}),
  }).flat()
}
