/** Surfaces are opened after those that they need; what cannot be opened is refused in words. */
import { expect, test } from 'vitest'
import type { Access, SettingTable } from '#dodeca/kernel'
import { compose, type Openable } from '../compose.ts'
import type { KernelFor } from '../composition.ts'

const heard: { name: string; needs: object }[] = []
const access = {} as Access
const kernelFor = ((surface: { settings: SettingTable }) => surface) as unknown as KernelFor

function part(name: string, needs: Record<string, string> = {}): Openable {
  return {
    name,
    settings: {},
    needs,
    migrations: new URL('file:///none/'),
    permissions: {},
    errors: {},
    events: {},
    open: (_kernel, given: object) => {
      heard.push({ name, needs: given })
      return { face: name === 'identity' ? { access } : `the face of ${name}`, routes: [] }
    },
  }
}

test('each surface comes after those that it needs, and gets their faces by its own names', () => {
  heard.length = 0
  const shop = part('shop', { money: 'payments', blocks: 'social?', people: 'identity' })
  const all = compose([shop, part('identity'), part('payments')])
  expect(all.surfaces.map(({ name }) => name)).toEqual(['payments', 'identity', 'shop'])
  const opened = all.open(kernelFor)
  expect(heard.at(-1)).toMatchObject({ name: 'shop', needs: { money: 'the face of payments' } })
  expect(heard.at(-1)?.needs).toMatchObject({ blocks: undefined, people: { access } })
  expect(opened.access).toBe(access)
  expect(Object.keys(opened.opened)).toHaveLength(3)
})

test.each([
  [
    'a need that is off',
    [part('shop', { money: 'payments' })],
    /shop needs payments, which is off/,
  ],
  [
    'a circle',
    [part('one', { two: 'two' }), part('two', { three: 'three' }), part('three', { one: 'one' })],
    /one -> two -> three -> one/,
  ],
  ['a name given twice', [part('shop'), part('shop')], /same name/],
])('%s is refused', (_what, surfaces, says) => {
  expect(() => compose(surfaces)).toThrow(says)
})
