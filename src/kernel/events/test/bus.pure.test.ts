/** Hints between processes: whatever arrives, the process goes on. */
import { expect, test } from 'vitest'
import { openBus } from '../bus.ts'

function listening() {
  const bus = openBus()
  const seen: string[] = []
  bus.on('words', {
    message: text => void seen.push(JSON.parse(text) as string),
    gap: () => void seen.push('gap'),
  })
  return { bus, seen }
}

test('a packet reaches the listeners of its channels', () => {
  const { bus, seen } = listening()
  bus.received('[["words","\\"one\\""],["other","\\"two\\""],["words","\\"three\\""]]')
  expect(seen).toEqual(['one', 'three'])
})

test.each(['', 'x', 'null', '{}', '[null]', '[["words"]]', '[["words","x"]]'])(
  'the packet %j counts as one that was lost',
  packet => {
    const { bus, seen } = listening()
    bus.received(packet)
    expect(seen).toEqual(['gap'])
  },
)
