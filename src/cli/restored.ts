/** After a restore of the database to an earlier moment, and before any process starts. */
import { Type } from 'typebox'
import { cellId, Problem, sql, StartError, type Reader } from '#dodeca/kernel'
import { openDb } from '../kernel/database/db.ts'
import type { Inside } from '../surfaces/identity/face.ts'
import type { Command } from './command.ts'
import { actor, onCurrentDatabase } from './offline.ts'

export const restoredCommand: Command = {
  words: 'restored',
  summary: 'After a restore: end log-ins, and end again what had ended since',
  options: {
    old: {
      type: 'string',
      value: '<url>',
      says: 'The damaged database, as it was when it was stopped. Without it all API keys are revoked',
    },
  },
  more: [
    'Run it on the restored database before any process starts. It can be repeated.',
    'With --old it repeats from the damaged database: tenants that were disabled or deleted, accounts that ' +
      'were disabled or erased, roles, API keys and recovery codes that were taken away or used, and a signing ' +
      'key that was revoked. Passwords and second factors stay those of the moment.',
  ],
  run: async call => {
    const url = call.option('old')
    const ended = await onCurrentDatabase(call, async ({ platform }) => {
      const { db } = platform.kernel
      const identity = platform.opened['identity']
      if (!identity) throw new StartError('This platform has no accounts.')
      await refuseRunning(db)
      const { administration } = identity.face as Inside
      if (url === undefined) return await administration.endRestored(null, actor())
      const old = openOld(url)
      try {
        await refuseOther(old, await cellId(db))
        return await administration.endRestored(old, actor()).catch(lastOperator)
      } finally {
        await old.close()
      }
    })
    const { signing_key, ...counts } = ended
    call.terminal.answer(ended, [
      ...Object.entries(counts).map(
        ([what, count]) => `${what.replace('_', ' ')}: ${count} ended.`,
      ),
      ...(signing_key ? ['The signing key was replaced: it had been revoked.'] : []),
    ])
  },
}

/** For `catch`. */
function lastOperator(error: unknown): never {
  if (!(error instanceof Problem && error.code === 'last_operator')) throw error
  const cure = 'Give that role to somebody who still has it there (`npx dodeca user grant`)'
  throw new StartError(
    `The only platform operator of the restored database has lost that role since. ${cure}, then run this again.`,
    { cause: error },
  )
}

function openOld(url: string) {
  if (!/^postgres(ql)?:/.test(url) || !URL.canParse(url)) {
    throw new StartError('--old must look like postgres://user:password@host:5432/database.')
  }
  return openDb({
    url,
    pool: 1,
    wait_ms: 10_000,
    unhurried: true,
    check_rows: false,
    application_name: 'dodeca restored',
    outbox: () => [],
    committed: () => {},
    waited: () => {},
    lost: () => {},
  })
}

async function refuseRunning(reader: Reader): Promise<void> {
  const { processes } = await reader.one(
    Type.Object({ processes: Type.Integer() }),
    sql`
      select count(*)::int as processes from pg_stat_activity
      where datname = current_database() and application_name = 'dodeca sequencer'`,
  )
  if (processes === 0) return
  throw new StartError('The platform runs on this database. Stop all its processes first.')
}

async function refuseOther(old: Reader, cell_id: string): Promise<void> {
  const found = await old
    .maybe(Type.Object({ id: Type.String() }), sql`select id from kernel.cell`)
    .catch((cause: unknown) => {
      throw new StartError(`--old cannot be read: ${(cause as Error).message}`, { cause })
    })
  if (found?.id === cell_id) return
  throw new StartError('--old is the database of another platform, so nothing was changed.')
}
