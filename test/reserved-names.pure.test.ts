/** What the platform calls its own things, no application can use for others. */
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { openProduct } from '../scripts/openapi.ts'
import { app, ownSurfaces } from '../src/app.ts'
import { composeApp } from '../src/load-app.ts'
import { composition } from '../src/platform.ts'
import { gather } from '../src/runtime/gather-declarations.ts'
import { general } from '../src/runtime/general-settings.ts'
import { bodyFaults } from '../src/runtime/own-bodies.ts'
import { nameFaults, pathFaults, reserved } from '../src/runtime/reserved-names.ts'
import { openUnconnected } from '../src/runtime/open-unconnected.ts'
import { loadConfig } from '../src/settings.ts'
import { closed, text } from '#dodeca/kernel'
import { leads } from './surfaces/leads/surface.ts'

test('the names of the platform are reserved', async () => {
  const product = await openProduct()
  const { routes } = product
  const first = routes
    .map(({ path }) => path.split('/'))
    .filter(([, version]) => version === 'v1')
    .map(([, , segment = '']) => segment.split(':')[0] ?? '')
  expect(first.length).toBeGreaterThan(300)
  expect(first.filter(segment => !reserved.segments.has(segment))).toEqual([])
  const nouns = [...gather(composition.surfaces).declared.keys()].flatMap(
    type => /^[a-z_]+(?=\.)/.exec(type) ?? [],
  )
  expect(nouns.length).toBeGreaterThan(100)
  expect(nouns.filter(noun => !reserved.nouns.has(noun))).toEqual([])
  const variables = general.map(({ variable }) => variable.split('_')[0]?.toLowerCase() ?? '')
  expect(variables.filter(word => !reserved.surfaces.has(word))).toEqual([])
  await product.stop()
})

describe('an own name that is reserved stops the start with a sentence', () => {
  test.each(['jobs', 'kernel', 'node', 'x', 'Shop', 'my_shop'])('the surface %s', name => {
    const given = app({ surfaces: [{ ...leads, name }] })
    expect(() => ownSurfaces(given)).toThrow(`A surface cannot be called ${name}`)
  })

  test('an event and a path', () => {
    const events = { 'order.won': { version: 1, data: leads.settings as never } }
    expect(nameFaults({ ...leads, events })).toEqual([
      'The surface leads cannot declare order.won: events of this noun are reserved.',
    ])
    expect(
      pathFaults('leads', ['/v1/leads', '/v1/jobs/{id}', '/v1/inferences:stream', '/x']),
    ).toEqual([
      'The surface leads cannot have the path /v1/jobs/{id}, because /v1/jobs is reserved.',
      'The surface leads cannot have the path /v1/inferences:stream, because /v1/inferences:stream is reserved.',
      'The surface leads has the path /x. It must be in /v1/.',
    ])
  })

  test('a route of an application, before anything is started', async () => {
    const open: typeof leads.open = (kernel, needs) => {
      const { routes, ...opened } = leads.open(kernel, needs)
      const moved = routes.map(one => ({ ...one, path: one.path.replace('leads', 'orders') }))
      return { ...opened, routes: moved }
    }
    const given = app({ surfaces: [{ ...leads, open }] })
    const config = loadConfig({}, { PUBLIC_URL: 'http://localhost:8080' }, given)
    await expect(openUnconnected(config, await composeApp(given))).rejects.toThrow(
      'The surface leads cannot have the path /v1/orders, because /v1/orders is reserved.',
    )
  })

  test('its own names are free', () => {
    expect(nameFaults(leads)).toEqual([])
    expect(pathFaults('leads', ['/v1/leads', '/v1/leads/{lead_id}/win'])).toEqual([])
  })
})

test('a body with an open object stops the start, and names the route', () => {
  const route = { method: 'POST', path: '/v1/deals' } as const
  const inside = Type.Object({ note: Type.String() })
  expect(bodyFaults({ ...route, body: closed({ a: Type.Optional(inside) }) })).toEqual([
    'POST /v1/deals: an object in a request must be closed: write closed({ … }), or map(…)',
  ])
  expect(bodyFaults({ ...route, body: closed({ title: text(10) }) })).toEqual([])
})
