/**
 * The `dodeca` command: one small file a sub-command. It works on the database itself, so it needs no
 * running platform; what went wrong is said in a sentence, and the exit code is 0 or 1.
 */
import { backupCreate, backupRestore, backupVerify } from './cli/backup.ts'
import { parseCommand, type Command } from './cli/command.ts'
import { doctorCommand } from './cli/doctor.ts'
import { eventsConsumers, eventsParks, eventsRetry, eventsSkip } from './cli/events.ts'
import { eventsTail } from './cli/events-tail.ts'
import { helpCommand, showAll, showCommands } from './cli/help.ts'
import { jobsCancel, jobsList, jobsRetry, jobsShow, jobsTypes } from './cli/jobs.ts'
import { keysList, keysRotate } from './cli/keys.ts'
import { keysRotateSigning } from './cli/keys-signing.ts'
import { migrateCommand } from './cli/migrate.ts'
import { rebuildCommand } from './cli/rebuild.ts'
import { seedCommand } from './cli/seed.ts'
import { startCommand } from './cli/start.ts'
import { tenantCreate, tenantDisable, tenantList } from './cli/tenant.ts'
import { openTerminal } from './cli/terminal.ts'
import {
  userCreate,
  userDisable,
  userGrant,
  userList,
  userResetPassword,
  userRevoke,
} from './cli/user.ts'
import { loadConfig } from './config.ts'
import type { Composition } from './kernel/assembly/parts.ts'
import { StartError } from './kernel/start-error.ts'
import { composition } from './start.ts'

const commands: readonly Command[] = [
  startCommand,
  migrateCommand,
  seedCommand,
  doctorCommand,
  keysList,
  keysRotate,
  keysRotateSigning,
  tenantCreate,
  tenantList,
  tenantDisable,
  userCreate,
  userList,
  userGrant,
  userRevoke,
  userDisable,
  userResetPassword,
  eventsTail,
  eventsConsumers,
  eventsParks,
  eventsRetry,
  eventsSkip,
  jobsList,
  jobsShow,
  jobsRetry,
  jobsCancel,
  jobsTypes,
  rebuildCommand,
  backupCreate,
  backupVerify,
  backupRestore,
  helpCommand(() => commands),
]

/** Answers the exit code. */
export async function dodeca(argv: readonly string[], composed: Composition): Promise<number> {
  const json = argv.includes('--json')
  const terminal = openTerminal(json)
  try {
    if (argv.length === 0 || /^(--help|-h)$/.test(argv[0] ?? '')) {
      showAll(commands, terminal)
      return 0
    }
    const { command, args, values } = parseCommand(commands, argv)
    if (values['help']) {
      showCommands([command], terminal)
      return 0
    }
    const text = (name: string) => {
      const value = values[name]
      return typeof value === 'string' ? value : undefined
    }
    let code = 0
    await command.run({
      args,
      terminal,
      composition: composed,
      option: text,
      flag: name => values[name] === true,
      fail: () => {
        code = 1
      },
      config: overrides => loadConfig(overrides),
    })
    return code
  } catch (error) {
    terminal.endGauge()
    const message = explain(error)
    process.stderr.write(json ? `${JSON.stringify({ error: message })}\n` : `${message}\n`)
    return 1
  }
}

function explain(error: unknown): string {
  if (error instanceof StartError) return error.message
  const { code, path, message } = error as NodeJS.ErrnoException
  if (/^(ENOSPC|EDQUOT|EROFS|EACCES|EPERM)$/.test(code ?? '')) {
    return `A file cannot be read or written (${code}${path ? `, ${path}` : ''}). Mend that, then try again.`
  }
  return error instanceof Error ? (error.stack ?? message) : String(error)
}

if (import.meta.main) process.exitCode = await dodeca(process.argv.slice(2), composition)
