/** Compares stored objects with their rows, and blocks file contents for all tenants. */
import { StartError, StoreUnavailable } from '#dodeca/kernel'
import type { Inside } from '../surfaces/uploads/face.ts'
import type { Call, Command } from './command.ts'
import { actor, onCurrentDatabase } from './offline.ts'
import { table } from './terminal.ts'

export const uploadsReconcile: Command = {
  words: 'uploads reconcile',
  summary: 'Compare stored objects with files, in both directions',
  options: {
    remove: {
      type: 'boolean',
      says: 'Remove objects without a row, and quarantine files whose object is missing',
    },
    'accept-loss': {
      type: 'boolean',
      says: 'Take this store as it is, also where it is empty: what is missing is lost for good',
    },
    undelete: {
      type: 'boolean',
      says: 'After a restore: bring back deleted objects that a row names, in a bucket that keeps versions',
    },
  },
  run: async call => {
    if (call.flag('undelete')) return await undelete(call)
    const remove = call.flag('remove')
    const accept_loss = call.flag('accept-loss')
    const signal = new AbortController().signal
    const found = await operating(call, ({ operator }) =>
      operator.reconcile({ remove, accept_loss, signal }).catch(unavailable),
    )
    const done = remove && !found.shared ? 'removed' : 'found'
    const quarantined = remove ? `, ${found.quarantined} quarantined` : ''
    const stays = 'Other cells use the bucket, so what has no row here is never removed.'
    call.terminal.answer({ remove, ...found }, [
      `Objects without a row: ${found.objects} ${done}.`,
      `Multipart uploads without a row: ${found.uploads} ${done}.`,
      `Files whose object is missing: ${found.missing} found${quarantined}.`,
      ...(found.shared ? [stays] : []),
    ])
  },
}

async function undelete(call: Call): Promise<void> {
  if (call.flag('remove') || call.flag('accept-loss')) {
    throw new StartError('--undelete goes alone: run it first, then the command with --remove.')
  }
  const found = await operating(call, ({ operator }) => operator.undelete().catch(unavailable))
  call.terminal.answer(found, [
    `Objects brought back: ${found.undeleted}.`,
    `Objects that the bucket does not have either: ${found.missing}.`,
  ])
}

/** For `catch`. */
function unavailable(error: unknown): never {
  throw error instanceof StoreUnavailable ? new StartError(error.message) : error
}

export const uploadsBlock: Command = {
  words: 'uploads block',
  takes: ['<sha256>'],
  options: {
    reason: { type: 'string', value: '<why>', says: 'Kept with it and in the audit log' },
  },
  summary: 'Refuse a content by its SHA-256; files that have it are inspected again',
  run: async call => {
    const sha256 = digestOf(call)
    const reason = call.option('reason') ?? 'blocked on the command line'
    if (reason.length > 200) throw new StartError('--reason has at most 200 characters.')
    const files = await operating(call, ({ operator }) =>
      operator.blockHash(sha256, { actor: actor(), reason }),
    )
    call.terminal.answer({ sha256: sha256.toString('hex'), files }, [
      `The content is blocked. ${files} available files have it and are inspected again.`,
    ])
  },
}

export const uploadsUnblock: Command = {
  words: 'uploads unblock',
  takes: ['<sha256>'],
  summary: 'Accept a content again that was blocked by its SHA-256',
  run: async call => {
    const sha256 = digestOf(call)
    if (!(await operating(call, ({ operator }) => operator.unblockHash(sha256, actor())))) {
      throw new StartError('This content is not blocked. `npx dodeca uploads blocked` lists them.')
    }
    call.terminal.answer({ sha256: sha256.toString('hex') }, [
      'The content is accepted again. Files in quarantine stay there until they are scanned again.',
    ])
  },
}

export const uploadsBlocked: Command = {
  words: 'uploads blocked',
  summary: 'List the contents that are blocked',
  run: async call => {
    const data = await operating(call, ({ operator }) => operator.blockedHashes())
    const lines = table(
      ['SHA-256', 'REASON', 'BY', 'SINCE'],
      data.map(one => [one.sha256, one.reason, one.created_by, one.created_at]),
    )
    call.terminal.answer({ data }, lines.length > 0 ? lines : ['No content is blocked.'])
  },
}

function digestOf(call: Call): Buffer {
  const hex = (call.args[0] ?? '').replace(/^sha256:/, '')
  if (!/^[0-9a-f]{64}$/.test(hex)) {
    throw new StartError('A SHA-256 has 64 characters from 0 to 9 and a to f: `sha256sum <file>`.')
  }
  return Buffer.from(hex, 'hex')
}

async function operating<T>(call: Call, work: (face: Inside) => Promise<T>): Promise<T> {
  return await onCurrentDatabase(call, async ({ platform }) => {
    const face = platform.opened['uploads']?.face as Inside | undefined
    if (!face) throw new StartError('This platform has no uploads.')
    return await work(face)
  })
}
