/** Fills a development platform with demo data. Existing data is not changed. */
import { StartError } from '#dodeca/kernel'
import type { Command } from './command.ts'
import { onCurrentDatabase } from './offline.ts'

export const seedCommand: Command = {
  words: 'seed',
  summary: 'Create the demo tenants acme and globex, with people in every role',
  more: [
    'Running it again changes nothing. The passwords are public, so it is refused in production.',
  ],
  run: async call => {
    if (call.config().profile === 'production') {
      throw new StartError(
        'Demo people have public passwords, so they are not created in production.',
      )
    }
    const made = await onCurrentDatabase(call, async ({ platform, audit }) => {
      const all = await platform.seed()
      if (all.length > 0) await audit({ action: 'kernel.seed', target: 'demo' })
      return all
    })
    call.terminal.answer(
      { made },
      made.length > 0
        ? ['Made:', ...made.map(one => `  ${one}`)]
        : ['All demo data exists already.'],
    )
  },
}
