/**
 * Limits how many parts arrive at the same time, for one upload and in this process, because memory
 * and disks are shared.
 */
import { problem } from '../errors.ts'
import type { Kernel } from '../settings.ts'

export type Slots = { take(upload_id: string): () => void }

export function openSlots({ settings }: Pick<Kernel, 'settings'>): Slots {
  const taken = new Map<string, number>()
  let all = 0
  return {
    take: upload_id => {
      const mine = taken.get(upload_id) ?? 0
      if (mine >= settings['uploads.parts_at_once']) {
        throw problem('rate_limited', {
          retry_after: 1,
          detail: `Send at most ${settings['uploads.parts_at_once']} parts of one upload at once.`,
        })
      }
      if (all >= settings['uploads.parts_per_process']) {
        throw problem('capacity_exceeded', { retry_after: 1 })
      }
      all++
      taken.set(upload_id, mine + 1)
      return () => {
        all--
        const left = (taken.get(upload_id) ?? 1) - 1
        if (left === 0) taken.delete(upload_id)
        else taken.set(upload_id, left)
      }
    },
  }
}
