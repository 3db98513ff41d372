/**
 * Limits how many parts arrive at the same time: for one upload, and in this process, because memory
 * and disks are shared. One tenant gets half of the process, so slow bodies of its clients leave room
 * for others.
 */
import { problem } from '../errors.ts'
import type { Kernel } from '../settings.ts'

type Key = { readonly tenant_id: string; readonly id: string }
export type Slots = { take(upload: Key): () => void }

export function openSlots({ settings }: Pick<Kernel, 'settings'>): Slots {
  const per_upload = settings['uploads.parts_at_once']
  const per_process = settings['uploads.parts_per_process']
  const taken = new Map<string, number>()
  const count = (key: string, change: number) => {
    const now = (taken.get(key) ?? 0) + change
    if (now === 0) taken.delete(key)
    else taken.set(key, now)
  }
  return {
    take: ({ tenant_id, id }) => {
      const of = (key: string) => taken.get(key) ?? 0
      if (of(id) >= per_upload) {
        throw problem('rate_limited', {
          retry_after: 1,
          detail: `Send at most ${per_upload} parts of one upload at once.`,
        })
      }
      if (of('all') >= per_process || of(tenant_id) >= Math.ceil(per_process / 2)) {
        throw problem('capacity_exceeded', { retry_after: 1 })
      }
      const keys = ['all', tenant_id, id]
      for (const key of keys) count(key, 1)
      return () => {
        for (const key of keys) count(key, -1)
      }
    },
  }
}
