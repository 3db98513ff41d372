/**
 * The periodic work of storage: expiry, removal of ended uploads, and the comparison of store and
 * rows.
 */
import type { Loop } from '#dodeca/kernel'
import { announceUpload } from '../events.ts'
import type { Kernel } from '../settings.ts'
import type { OwnStore } from './own-store.ts'
import { purgeFiles } from './purge-files.ts'
import { reconcile } from './reconcile.ts'
import { expireUploads, removeParts } from './remove-parts.ts'

export function storageLoops(kernel: Kernel, store: OwnStore): readonly Loop[] {
  const { settings } = kernel
  const every_ms = settings['uploads.sweep_seconds'] * 1000
  return [
    {
      name: 'uploads.sweep',
      every_ms,
      run: async signal => {
        const steps = [
          () => expireUploads(kernel.db, (tx, row) => announceUpload(tx, 'upload.expired', row)),
          () => removeParts(kernel, store),
          () => purgeFiles(kernel, store),
        ]
        for (const step of steps) {
          while (!signal.aborted && (await step()) > 0);
        }
      },
    },
    {
      name: 'uploads.reconcile',
      // This walks over all stored objects. It can be rare, because the objects that it looks for
      // are days old.
      every_ms: Math.max(every_ms, Math.min(3_600_000, settings['uploads.orphan_seconds'] * 1000)),
      run: async signal => {
        await reconcile(kernel, store, { remove: true, signal })
      },
    },
  ]
}
