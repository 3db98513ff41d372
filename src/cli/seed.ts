/** Fills a development platform with demo data. What is there already stays as it is. */
import { StartError } from '../kernel/errors/start-error.ts'
import type { Command } from './command.ts'
import { onCurrentDatabase } from './offline.ts'

export const seedCommand: Command = {
  words: 'seed',
  summary: 'Make the demo tenants acme and globex, with people in every role',
  more: ['Running it again changes nothing. Everybody knows the passwords: production refuses.'],
  run: async call => {
    if (call.config().profile === 'production') {
      throw new StartError('Demo people have known passwords, so they are not made in production.')
    }
    const made = await onCurrentDatabase(call, async ({ platform, audit }) => {
      const all: string[] = []
      for (const { seed } of Object.values(platform.opened)) all.push(...((await seed?.()) ?? []))
      if (all.length > 0) await audit({ action: 'kernel.seed', target: 'demo' })
      return all
    })
    call.terminal.answer(
      { made },
      made.length > 0
        ? ['Made:', ...made.map(one => `  ${one}`)]
        : ['Everything is there already.'],
    )
  },
}
