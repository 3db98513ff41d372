/** Which provider gets a message, and which must not. */
import { expect, test } from 'vitest'
import type { Offered } from '../../providers/providers.ts'
import { choose } from '../choose.ts'

function offer(name: string, is_open = false): Offered {
  return {
    provider: {
      name,
      channel: 'email',
      reaches: '',
      connections: 1,
      send: () => Promise.resolve({ kind: 'accepted', provider_message_id: null }),
      close: () => Promise.resolve(),
    },
    breaker: { isOpen: () => is_open, admit: () => (is_open ? null : { settle: () => undefined }) },
  }
}

const chosen = (offered: readonly Offered[], provider: string | null, pinned: boolean) =>
  choose(offered, { provider, pinned })?.provider.name

test('a message takes the first provider from its own on that accepts it', () => {
  const offered = [offer('one', true), offer('two'), offer('three')]
  expect(chosen(offered, null, false)).toBe('two')
  expect(chosen(offered, 'three', false)).toBe('three')
  expect(chosen(offered, 'removed', false)).toBe('two')
})

test('a message that a provider may have waits for that provider', () => {
  const offered = [offer('one', true), offer('two')]
  expect(chosen(offered, 'two', true)).toBe('two')
  expect(chosen(offered, 'one', true)).toBeUndefined()
  expect(chosen(offered, 'removed', true)).toBeUndefined()
})
