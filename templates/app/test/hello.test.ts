/** The routes of the application: what is special to them, and what every route must bear. */
import { equal, match } from 'node:assert/strict'
import { after, test } from 'node:test'
import { contract, openApp } from 'dodeca/testing'
import app from '../dodeca.config.ts'

const world = await openApp(app)
after(() => world.close())

test('a member is greeted', async () => {
  const { token } = await world.member()
  const { status, body } = await world.call('GET', '/v1/hello', { token })
  equal(status, 200)
  match(body.message, /^Hello, account /)
})

for (const { name, run } of contract(world, { surface: 'hello' })) test(name, run)
