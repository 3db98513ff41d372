/**
 * The `dodeca` command: one small file a sub-command. It works directly on the database, so it
 * needs no running platform. Errors are printed as one sentence, and the exit code is 0 or 1.
 */
import { parseCommand, type Command } from './cli/command.ts'
import { helpCommand, showAll, showCommands } from './cli/help.ts'
import { openTerminal, type Streams } from './cli/terminal.ts'
import type { App } from './app.ts'
import { readApp } from './read-app.ts'
import { loadConfig } from './settings.ts'
import type { Composition } from './runtime/platform-parts.ts'
import { StartError } from '#dodeca/kernel'

/**
 * The commands by their first word, in the order of the help. The module of a command is loaded
 * only when the command is used.
 */
const groups: Readonly<Record<string, () => Promise<readonly Command[]>>> = {
  start: async () => [(await import('./cli/start.ts')).startCommand],
  migrate: async () => [(await import('./cli/migrate.ts')).migrateCommand],
  seed: async () => [(await import('./cli/seed.ts')).seedCommand],
  doctor: async () => [(await import('./cli/doctor.ts')).doctorCommand],
  keys: async () => {
    const { keysList, keysRotate } = await import('./cli/keys.ts')
    const { keysInit } = await import('./cli/keys-init.ts')
    const { keysRotateSigning } = await import('./cli/keys-signing.ts')
    return [keysInit, keysList, keysRotate, keysRotateSigning]
  },
  tenant: async () => {
    const { tenantCreate, tenantList, tenantDisable } = await import('./cli/tenant.ts')
    const cells = await import('./cli/tenant-cells.ts')
    const { tenantExport, tenantImport, tenantMove, tenantRelease, tenantDelete } = cells
    const units = [tenantExport, tenantImport, tenantMove, tenantRelease, tenantDelete]
    return [tenantCreate, tenantList, tenantDisable, ...units]
  },
  router: async () => [(await import('./cli/router.ts')).routerCommand],
  user: async () => {
    const user = await import('./cli/user.ts')
    const { userCreate, userList, userGrant, userRevoke, userDisable, userResetPassword } = user
    const { userEnrolTotp } = user
    const roles = [userCreate, userList, userGrant, userRevoke]
    return [...roles, userDisable, userResetPassword, userEnrolTotp]
  },
  events: async () => {
    const { eventsTail } = await import('./cli/events-tail.ts')
    const { eventsConsumers, eventsParks, eventsRetry, eventsSkip } =
      await import('./cli/events.ts')
    return [eventsTail, eventsConsumers, eventsParks, eventsRetry, eventsSkip]
  },
  jobs: async () => {
    const { jobsCancel, jobsList, jobsRetry, jobsShow, jobsTypes } = await import('./cli/jobs.ts')
    return [jobsList, jobsShow, jobsRetry, jobsCancel, jobsTypes]
  },
  queues: async () => {
    const { queuesList, queuesRedrive } = await import('./cli/queues.ts')
    return [queuesList, queuesRedrive]
  },
  uploads: async () => {
    const { uploadsBlock, uploadsBlocked, uploadsReconcile, uploadsUnblock } =
      await import('./cli/uploads.ts')
    return [uploadsReconcile, uploadsBlock, uploadsUnblock, uploadsBlocked]
  },
  rebuild: async () => [(await import('./cli/rebuild.ts')).rebuildCommand],
  deprecations: async () => [(await import('./cli/deprecations.ts')).deprecationsCommand],
  new: async () => {
    const { newApp, newResource, newSurface } = await import('./cli/new.ts')
    return [newApp, newSurface, newResource]
  },
  client: async () => [(await import('./cli/client.ts')).clientCommand],
  backup: async () => {
    const { backupCreate, backupRestore, backupVerify } = await import('./cli/backup.ts')
    return [backupCreate, backupVerify, backupRestore]
  },
  restored: async () => [(await import('./cli/restored.ts')).restoredCommand],
  help: () => Promise.resolve([helpCommand(allCommands)]),
}

async function allCommands(): Promise<readonly Command[]> {
  return (await Promise.all(Object.values(groups).map(group => group()))).flat()
}

/**
 * Returns the commands that have this first word. For an unknown word it returns all commands, so
 * that the nearest one can be found.
 */
async function commandsFor(word: string): Promise<readonly Command[]> {
  const group = Object.hasOwn(groups, word) ? groups[word] : undefined
  return group ? await group() : await allCommands()
}

/** Returns the exit code. */
export async function dodeca(
  argv: readonly string[],
  load: (surface: Command['surface'], app: App) => Promise<Composition> = product,
  configure: typeof loadConfig = loadConfig,
  streams?: Streams,
): Promise<number> {
  const json = argv.includes('--json')
  const terminal = openTerminal(json, streams)
  try {
    if (argv.length === 0 || /^(--help|-h)$/.test(argv[0] ?? '')) {
      showAll(await allCommands(), terminal)
      return 0
    }
    if (argv[0] === '--version') {
      const { ownVersion } = await import('./runtime/own-version.ts')
      const version = await ownVersion()
      terminal.answer({ version }, [version])
      return 0
    }
    const { command, args, values } = parseCommand(await commandsFor(argv[0] ?? ''), argv)
    if (values['help']) {
      showCommands([command], terminal)
      return 0
    }
    const text = (name: string) => {
      const value = values[name]
      return typeof value === 'string' ? value : undefined
    }
    const app = command.alone ? {} : await readApp()
    let code = 0
    await command.run({
      args,
      terminal,
      composition: () => load(command.surface, app),
      option: text,
      flag: name => values[name] === true,
      fail: () => {
        code = 1
      },
      config: overrides => configure(overrides, undefined, app),
    })
    return code
  } catch (error) {
    terminal.endGauge()
    const message = explain(error)
    terminal.streams.stderr.write(json ? `${JSON.stringify({ error: message })}\n` : `${message}\n`)
    return 1
  }
}

function explain(error: unknown): string {
  if (error instanceof StartError) return error.message
  const { code, path, message } = error as NodeJS.ErrnoException
  if (/^(ENOSPC|EDQUOT|EROFS|EACCES|EPERM)$/.test(code ?? '')) {
    return `A file cannot be read or written (${code}${path ? `, ${path}` : ''}). Correct that, then try again.`
  }
  return error instanceof Error ? (error.stack ?? message) : String(error)
}

async function product(surface: Command['surface'], app: App): Promise<Composition> {
  if (surface) return (await import('./identity-alone.ts')).composeIdentity(app)
  return await (await import('./load-app.ts')).composeApp(app)
}

if (import.meta.main) process.exitCode = await dodeca(process.argv.slice(2))
