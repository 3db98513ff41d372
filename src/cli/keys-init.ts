/**
 * Makes the two keys of a new deployment, and adds them to its environment file. Keys that are
 * there already are never replaced: without the former keys no sealed value can be read.
 */
import { chownSync, existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { StartError } from '#dodeca/kernel'
import { newKeys } from '../kernel/keys.ts'
import { replaceFile } from '../runtime/data-dir.ts'
import type { Command } from './command.ts'

const keys_given = /^\s*(?:export\s+)?(KERNEL_(?:KEYRING|PEPPER)(?:_FILE)?)[ \t]*=[ \t]*\S/m

export const keysInit: Command = {
  words: 'keys init',
  summary: 'Make the keys of a new deployment: KERNEL_KEYRING and KERNEL_PEPPER',
  options: {
    env: {
      type: 'string',
      value: '<file>',
      says: 'Add them to this environment file, which only its owner may read then',
    },
  },
  more: ['Make them once and keep a copy elsewhere: a backup contains neither of them.'],
  run: call => {
    const { keyring, pepper } = newKeys()
    const lines = [`KERNEL_KEYRING=${keyring}`, `KERNEL_PEPPER=${pepper}`]
    const given = call.option('env')
    if (given === undefined) {
      call.terminal.answer({ KERNEL_KEYRING: keyring, KERNEL_PEPPER: pepper }, lines)
      return Promise.resolve()
    }
    const file = add(lines, resolve(given))
    call.terminal.answer({ file }, [`KERNEL_KEYRING and KERNEL_PEPPER are in ${file}.`])
    return Promise.resolve()
  },
}

/** The file is replaced by rename, so a full disk leaves the former one. */
function add(lines: readonly string[], path: string): string {
  if (!existsSync(dirname(path))) {
    throw new StartError(`There is no folder ${dirname(path)}. Make it, or name another file.`)
  }
  const found = existsSync(path)
  const file = found ? realpathSync(path) : path
  const text = found ? readFileSync(file, 'utf8') : ''
  const [, name] = keys_given.exec(text) ?? []
  if (name !== undefined) {
    throw new StartError(
      `${file} has ${name} already. Keep it: sealed values can be read only with it. \`dodeca help keys rotate encryption\` says how a key is replaced.`,
    )
  }
  const before = text === '' || text.endsWith('\n') ? text : `${text}\n`
  const owner = found ? statSync(file) : undefined
  replaceFile(file, `${before}${lines.join('\n')}\n`)
  if (owner) chownSync(file, owner.uid, owner.gid)
  return file
}
