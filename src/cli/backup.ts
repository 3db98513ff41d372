/**
 * Backups on the command line: create a backup of a running platform, verify a backup, restore a
 * backup into an empty folder.
 */
import { resolve } from 'node:path'
import { openClock, rfc3339 } from '#dodeca/kernel'
import { createBackup } from '../runtime/backup/create.ts'
import type { Manifest } from '../runtime/backup/manifest.ts'
import { restoreBackup } from '../runtime/backup/restore.ts'
import { verifyBackup } from '../runtime/backup/verify.ts'
import { migrate } from '../kernel/database/migrate.ts'
import { examine, questions } from '../runtime/doctor.ts'
import { ownVersion } from '../runtime/own-version.ts'
import type { Call, Command } from './command.ts'
import { migrationOptions, offline, onCurrentDatabase, type Offline } from './offline.ts'

export const backupCreate: Command = {
  words: 'backup create',
  takes: ['[folder]'],
  summary: 'Copy database and objects into a folder, while the platform runs',
  more: [
    'The folder must not exist yet. Without a name it is created here and named after the time.',
    'With DATABASE_URL the database is included only if pg_dump is on the PATH.',
    'keys.json of the data folder is copied, too: who can read the backup can then read all data.',
    'KERNEL_KEYRING and KERNEL_PEPPER are never in it: store them elsewhere.',
  ],
  run: async call => {
    const created_at = rfc3339(openClock().nowMs())
    const folder = resolve(
      call.args[0] ?? `dodeca-backup-${created_at.replaceAll(/[-:]|\.\d+/g, '')}`,
    )
    const manifest = await onCurrentDatabase(call, async ({ config, ground, audit }) => {
      const source = {
        data_dir: ground.data_dir,
        url: ground.direct_url,
        embedded: ground.embedded,
        keys_given: config.settings['kernel.keyring'] !== null,
        version: await ownVersion(),
        created_at,
        ...(config.settings['kernel.objects_engine'] === 's3'
          ? { bucket: config.settings['kernel.objects_s3_bucket'] }
          : {}),
      }
      const made = await createBackup(source, folder, call.terminal.progress)
      await audit({ action: 'kernel.backups.create', target: folder })
      return made
    })
    call.terminal.answer({ folder, ...summaryOf(manifest) }, [
      `The backup is in ${folder} (${sizeOf(manifest)}).`,
      ...contents(manifest),
      'Keep it where only you can read it, and check it with `npx dodeca backup verify`.',
    ])
  },
}

export const backupVerify: Command = {
  words: 'backup verify',
  takes: ['<backup>'],
  summary: 'Compare every byte, start a temporary database on a copy, and check the invariants',
  run: async call => {
    const folder = resolve(call.args[0] ?? '')
    const { manifest, started, violations } = await verifyBackup({
      folder,
      progress: call.terminal.progress,
      checkPlatform: data_dir => checkPlatform(call, data_dir),
    })
    const ok = violations.length === 0
    const proof = started
      ? 'Every file is correct, a database recovers from it, and the invariants hold.'
      : 'Every file is correct.'
    const value = { ok, started, violations, folder, ...summaryOf(manifest) }
    call.terminal.answer(value, [
      ok ? `${call.terminal.paint('green', 'Good.')} ${proof}` : 'The backup cannot be trusted:',
      ...violations.map(one => `  ${call.terminal.paint('red', one)}`),
      ...(ok ? contents(manifest) : ['Do not restore it. Create a new one.']),
    ])
    if (!ok) call.fail()
  },
}

/** The copy is migrated as at every start, because the backup may be older than this version. */
async function checkPlatform(call: Call, data_dir: string): Promise<readonly string[]> {
  const ask = async ({ platform, config, ground, pending }: Offline) => {
    await migrate(await migrationOptions(config, ground, call.composition))
    const checks = Object.values(platform.opened).flatMap(one => one.checks ?? [])
    const { db, clock, keys } = platform.kernel
    const wanted = ['migrations', ...checks.map(one => one.name)]
    const asked = questions(checks).filter(one => wanted.includes(one.name))
    const options = { db, clock, keys, data_dir, pending, checks }
    return (await examine(asked, options)).flatMap(one =>
      one.state === 'violation' ? one.found.map(found => `${one.check}: ${found}`) : [],
    )
  }
  return await offline(call, ask, { DATA_DIR: data_dir, ...embedded })
}

/**
 * A copy is always opened on the embedded PostgreSQL, even if the environment sets DATABASE_URL.
 */
const embedded = { DATABASE_URL: 'embedded', KERNEL_DATABASE_DIRECT_URL: '' }

export const backupRestore: Command = {
  words: 'backup restore',
  takes: ['<backup>'],
  summary: 'Restore a backup into an empty data folder',
  more: [
    'DATA_DIR names the folder, and DATABASE_URL an empty database for a backup with a dump.',
    'Existing data is never replaced.',
  ],
  run: async call => {
    const folder = resolve(call.args[0] ?? '')
    const { data_dir, database_url } = call.config()
    const { progress } = call.terminal
    const manifest = await restoreBackup({ folder, data_dir, database_url, progress })
    if (manifest.database !== null) {
      progress('Recovering the database …')
      await offline(call, async ({ config, ground, audit }) => {
        await migrate(await migrationOptions(config, ground, call.composition))
        await audit({ action: 'kernel.backups.restore', target: folder })
      })
    }
    call.terminal.answer({ data_dir, ...summaryOf(manifest) }, [
      `Restored the state of ${manifest.created_at} into ${data_dir}.`,
      ...contents(manifest),
      'Start it with `npm start`; `npx dodeca doctor` checks it.',
    ])
  },
}

function summaryOf({ version, created_at, database, included, not_included, files }: Manifest) {
  const bytes = Object.values(files).reduce((sum, one) => sum + one.bytes, 0)
  const count = Object.keys(files).length
  return { version, created_at, database, included, not_included, files: count, bytes }
}

function sizeOf(manifest: Manifest): string {
  const { files, bytes } = summaryOf(manifest)
  return `${files} files, ${(bytes / 1024 / 1024).toFixed(1)} MB`
}

function contents({ included, not_included }: Manifest): string[] {
  return [
    `Included: ${included.join(', ') || 'nothing'}.`,
    ...not_included.map(one => `Not included: ${one}.`),
  ]
}
