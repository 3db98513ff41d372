/** How many processes a platform has, and the work of each. */
import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { placesOf } from '../processes/places.ts'

const roles = (environment: Record<string, string>) =>
  placesOf(readConfig([], {}, environment)).map(
    ({ roles: work, listens }) => `${work.join('+')}${listens ? ' listens' : ''}`,
  )

test('one process does all work; several leave background work to one beside them', () => {
  expect(roles({})).toEqual(['api+worker listens'])
  expect(roles({ PROCESSES: '2' })).toEqual(['api listens', 'api listens', 'worker'])
  expect(roles({ PROCESSES: '1', WORKER_PROCESSES: '2' })).toEqual([
    'api listens',
    'worker',
    'worker',
  ])
  expect(roles({ PROCESSES: '2', WORKER_PROCESSES: '0' })).toEqual([
    'api+worker listens',
    'api+worker listens',
  ])
})

test('a process of one role has no other beside it', () => {
  expect(roles({ PROCESSES: '2', ROLES: 'api' })).toEqual(['api listens', 'api listens'])
  // They share the port for their health.
  expect(roles({ PROCESSES: '2', ROLES: 'worker' })).toEqual(['worker listens', 'worker listens'])
})

test('auto is one process a processor; anything else is an error that says so', () => {
  expect(roles({ PROCESSES: 'auto' }).length).toBeGreaterThan(0)
  expect(() => roles({ PROCESSES: 'many' })).toThrow('PROCESSES must be a whole number from 1 to')
})
