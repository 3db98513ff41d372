/** The keys that sign access tokens: a new one that takes over, or, after a leak, at once and alone. */
import { administering } from './administration.ts'
import type { Command } from './command.ts'
import { actor } from './offline.ts'

export const keysRotateSigning: Command = {
  words: 'keys rotate signing',
  summary: 'Make a new key that signs access tokens',
  options: {
    revoke: { type: 'boolean', says: 'Drop all others at once: clients must refresh their tokens' },
  },
  run: async call => {
    const mode = call.flag('revoke') ? 'revoke' : 'graceful'
    const rotated = await administering(call, {}, identity =>
      identity.rotateSigningKey(mode, actor()),
    )
    const { kid } = rotated
    call.terminal.answer(
      rotated,
      mode === 'revoke'
        ? [
            `The key ${kid} signs from now on; tokens signed by any other are refused.`,
            'Running processes follow within a second; clients refresh their tokens.',
          ]
        : [
            `The key ${kid} is published now and signs in ten minutes, when everybody knows it.`,
            'Tokens stay valid. A running worker turns the keys over.',
          ],
    )
  },
}
