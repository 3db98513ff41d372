/**
 * The keys that seal stored secrets. Lists them, and creates a new current key. Older keys can
 * still open secrets, so a rotation breaks nothing. If the keys are in the environment, you must
 * rotate them there.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, openSync, closeSync, fsyncSync } from 'node:fs'
import { openDataDir, readJson, writeJson } from '../runtime/data-dir.ts'
import { rotate_action } from '../runtime/doctor.ts'
import { openKeyring, parseKeyring } from '../kernel/keys.ts'
import { StartError } from '#dodeca/kernel'
import type { Call, Command } from './command.ts'
import { factsOf, onCurrentDatabase } from './offline.ts'
import { table } from './terminal.ts'

export const keysList: Command = {
  words: 'keys list',
  summary: 'List the encryption keys, the current one first',
  run: async call => {
    const config = call.config()
    const file = openDataDir(config.data_dir).file('keys.json')
    const { 'kernel.keyring': keyring, 'kernel.pepper': pepper } = config.settings
    if (keyring === null && !existsSync(file)) {
      throw new StartError('There are no keys yet. The first start creates them.')
    }
    const given = { keyring, pepper, file, may_create: config.profile === 'development' }
    const { kids } = await openKeyring(given)
    const kept_in = keyring === null ? file : 'KERNEL_KEYRING'
    const keys = kids.map((kid, at) => ({ kid, use: at === 0 ? 'current' : 'readable' }))
    call.terminal.answer({ kept_in, keys }, [
      ...table(
        ['KEY', 'USE'],
        keys.map(({ kid, use }) => [kid, use]),
      ),
      '',
      `Stored in ${kept_in}.`,
    ])
  },
}

export const keysRotate: Command = {
  words: 'keys rotate encryption',
  summary: 'Create a new current encryption key; the old ones stay readable',
  more: [
    'Only the keyring is rotated. Workers seal values under older keys again after their restart.',
  ],
  run: rotate,
}

async function rotate(call: Call): Promise<void> {
  const kid = `k${randomBytes(4).toString('hex')}`
  const key = `${kid}:${randomBytes(32).toString('base64')}`
  if (call.config().settings['kernel.keyring'] !== null) {
    throw new StartError(
      'The keys come from KERNEL_KEYRING, so rotate them there. Put the new key ' +
        `before the existing ones: KERNEL_KEYRING="${key},<existing value>", and restart ` +
        'all processes with it.',
    )
  }
  const kids = await onCurrentDatabase(call, async ({ platform, ground }) => {
    const file = ground.data_dir.file('keys.json')
    return await ground.data_dir.locked('keys', () =>
      platform.kernel.db.tx(async tx => {
        tx.audit(rotate_action, kid, factsOf({}))
        const kept = readJson(file) as { keyring: string; pepper: string }
        const keyring = `${key},${kept.keyring}`
        writeJson(file, { ...kept, keyring })
        makeDurable(file)
        return parseKeyring(keyring).map(one => one.kid)
      }),
    )
  })
  call.terminal.answer({ current: kid, readable: kids.slice(1) }, [
    `The current encryption key is now ${kid}; ${kids.slice(1).join(', ')} can still be read.`,
    'Restart all processes of this data folder together: a running one knows only the old keys.',
    'Workers then seal values under older keys again. Tokens that were mailed or given to devices ' +
      'still need the old keys, so keep them.',
    'Create a backup now: without keys.json no sealed value can be read.',
  ])
}

function makeDurable(file: string): void {
  const descriptor = openSync(file, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}
