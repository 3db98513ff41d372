/** Due queues of all surfaces: shows the number of due rows, and makes dead rows due again. */
import { StartError, type DueQueue } from '#dodeca/kernel'
import { countQueue, redriveQueue } from '../kernel/work/operate-queues.ts'
import type { Command } from './command.ts'
import { actor, onCurrentDatabase, type Offline } from './offline.ts'
import { table } from './terminal.ts'

const redriven_max = 1000

export const queuesList: Command = {
  words: 'queues list',
  summary: 'List the due queues: how many rows are due, wait, run and are dead',
  run: async call => {
    const rows = await onCurrentDatabase(call, platform =>
      Promise.all(queuesOf(platform).map(one => countQueue(platform.platform.kernel.db, one))),
    )
    const list = table(
      ['QUEUE', 'DUE', 'OLDEST', 'LATER', 'LEASED', 'DEAD'],
      rows.map(one => [
        one.queue,
        one.due,
        `${Math.round(one.oldest_due_seconds)} s`,
        one.later,
        one.leased,
        one.dead,
      ]),
    )
    call.terminal.answer({ data: rows }, list.length > 0 ? list : ['There are no due queues.'])
  },
}

export const queuesRedrive: Command = {
  words: 'queues redrive',
  takes: ['<queue>'],
  options: { reason: { type: 'string', value: '<why>', says: 'Kept in the audit log' } },
  summary: `Make up to ${redriven_max} dead rows of a queue due again`,
  run: async call => {
    const name = call.args[0] ?? ''
    const redriven = await onCurrentDatabase(call, platform => {
      const queue = queuesOf(platform).find(one => one.name === name)
      if (!queue) {
        throw new StartError(`There is no queue ${name}. \`npx dodeca queues list\` lists them.`)
      }
      const reason = call.option('reason') ?? 're-driven on the command line'
      const by = { actor: actor(), reason, limit: redriven_max }
      return redriveQueue(platform.platform.kernel.db, queue, by)
    })
    call.terminal.answer({ queue: name, redriven }, [
      redriven === 0
        ? `There are no dead rows in ${name}.`
        : `${redriven} rows of ${name} are due again.`,
    ])
  },
}

function queuesOf({ platform }: Offline): DueQueue[] {
  return [...platform.queues]
}
