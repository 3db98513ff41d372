/** Rebuilds a read model from its sources, beside the live one, and shows the progress. */
import { StartError } from '#dodeca/kernel'
import type { Command } from './command.ts'
import { suggestion } from '../kernel/errors/did-you-mean.ts'
import { onCurrentDatabase } from './offline.ts'

export const rebuildCommand: Command = {
  words: 'rebuild',
  takes: ['<projection>'],
  summary: 'Rebuild a read model from its sources',
  run: async call => {
    const name = call.args[0] ?? ''
    const stopped = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM'])
      process.once(signal, () =>
        stopped.abort(new StartError(`The rebuild of ${name} was stopped.`)),
      )
    const { terminal } = call
    const began = performance.now()
    await onCurrentDatabase(call, async ({ platform, audit }) => {
      const known = Object.values(platform.opened).flatMap(one => one.projections ?? [])
      const projection = known.find(one => one.name === name)
      if (!projection) throw noProjection(name, known)
      await projection.rebuild((done, total) => {
        const share = total === 0 ? 100 : Math.floor((done / total) * 100)
        terminal.gauge(`${name}: ${share} % (${done} of ${total})`)
      }, stopped.signal)
      terminal.endGauge()
      await audit({ action: 'kernel.projections.rebuild', target: name })
    })
    const seconds = Math.round((performance.now() - began) / 100) / 10
    terminal.answer({ projection: name, seconds }, [`${name} was rebuilt in ${seconds} s.`])
  },
}

function noProjection(name: string, known: readonly { name: string }[]): StartError {
  const names = known.map(one => one.name)
  const all = names.length === 0 ? 'There are none yet.' : `There are ${names.join(', ')}.`
  return new StartError(`There is no projection ${name}.${suggestion(name, names)} ${all}`)
}
