/** Surfaces are opened after those that they need; what cannot be opened is refused in words. */
import { expect, test } from 'vitest'
import type { Access, SettingTable } from '#dodeca/kernel'
import { compose, type Openable } from '../compose-surfaces.ts'
import type { KernelFor } from '../platform-parts.ts'
import { gather } from '../gather-declarations.ts'

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

test('a surface of the application gets what is for it, as a part of its transaction', async () => {
  heard.length = 0
  const payments: Openable = {
    ...part('payments'),
    open: () => ({
      face: { secret: () => 'inside' },
      faceFor: ({ name }) => ({ pay: (...given: unknown[]) => [name, ...given] }),
      routes: [],
    }),
  }
  const own = part('crm', { money: 'payments', other: 'deals' })
  compose([part('identity'), payments], [part('deals'), own]).open(kernelFor)
  type Given = { money: { pay(...given: unknown[]): unknown }; other: unknown }
  const [{ money, other }] = heard.slice(-1).map(one => one.needs) as [Given]
  expect([Object.keys(money), other]).toEqual([['pay'], 'the face of deals'])
  const savepoint = (run: (tx: string) => unknown) => Promise.resolve(run('the part'))
  expect(await money.pay({ savepoint }, 5)).toEqual(['crm', 'the part', 5])
  expect(money.pay('a reader', 5)).toEqual(['crm', 'a reader', 5])
})

test('a surface of the platform without functions for others is refused', () => {
  const own = part('crm', { people: 'identity' })
  const composed = compose([part('identity')], [own])
  expect(() => composed.open(kernelFor)).toThrow(/identity has no functions for other surfaces/)
})

test.each([
  ['categories', 'other.deals'],
  ['purposes', 'mine'],
  ['templates', 'shop.No'],
])('what a surface names is its own: %s %s', (kind, name) => {
  expect(() => gather([{ ...part('shop'), [kind]: { [name]: {} } }])).toThrow(
    `shop declares ${name} in \`${kind}\``,
  )
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
