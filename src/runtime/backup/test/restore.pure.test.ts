/** The platform does not start on a folder whose restore did not end. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../postgres/start-embedded.ts'
import type { Manifest } from '../manifest.ts'
import { placeBackup } from '../restore.ts'

test('a restore that ended while it copied the objects leaves no folder that starts empty', async () => {
  const root = await mkdtemp(join(tmpdir(), 'dodeca-restore-'))
  onTestFinished(() => rm(root, { recursive: true }))
  const [folder, data_dir] = [join(root, 'backup'), join(root, 'data')]
  await mkdir(join(folder, 'objects'), { recursive: true })
  await writeFile(join(folder, 'objects/first'), 'bytes')
  const copied = { bytes: 5, sha256: '' }
  const manifest: Manifest = {
    format: 1,
    version: '0.1.0',
    created_at: '2026-01-01T00:00:00.000Z',
    database: {
      kind: 'cluster',
      postgres_version: '18.0',
      timeline: 1,
      start_lsn: '0/0',
      stop_lsn: '0/0',
    },
    migrations: {},
    included: ['database', 'objects'],
    not_included: [],
    folders: ['postgres', 'objects'],
    files: { 'objects/first': copied, 'objects/second': copied },
  }
  const progress = () => {}
  const restored = placeBackup({ folder, data_dir, database_url: null, progress }, manifest)
  await expect(restored).rejects.toThrow('ENOENT')
  await expect(openPostgres({ data_dir, progress })).rejects.toThrow('is missing')
})
