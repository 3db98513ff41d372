/** A process that stood still while a session ended learns of it before it acts for that session. */
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { afterAll, describe, expect, test } from 'vitest'
import pg from 'pg'
import { openProductWorld } from '../../../../test/product-world.ts'
import { startProcess } from '../../../../test/process.ts'
import { call } from '../../../../test/world.ts'

const world = await openProductWorld()
afterAll(() => world.close())

describe.concurrent('a session that is revoked', () => {
  test('is refused by a process that stood still meanwhile, from its first reply on', async () => {
    const member = await world.member()
    const still = await startProcess({ ...world.environment, ROLES: 'api' }, 'product')
    const ask = async () => (await call(still.url, 'GET', '/v1/me', { token: member.token })).status
    expect(await ask()).toBe(200)
    still.child.kill('SIGSTOP')
    await revokeUnheard(member.session_id, 3)
    const asked = Promise.all(Array.from({ length: 4 }, ask))
    still.child.kill('SIGCONT')
    expect(await asked).toEqual([401, 401, 401, 401])
    await still.kill()
  })

  test('is refused by a process that stood still while the body arrived', async () => {
    const member = await world.member()
    const still = await startProcess({ ...world.environment, ROLES: 'api' }, 'product')
    const body = '{"display_name":"Too late"}'
    const request = httpRequest(`${still.url}/v1/me`, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${member.token}`,
        'content-type': 'application/json',
        'content-length': body.length,
        expect: '100-continue',
      },
    })
    const answered = once(request, 'response')
    request.flushHeaders()
    // The token is checked before the body is asked for.
    await once(request, 'continue')
    still.child.kill('SIGSTOP')
    await revokeUnheard(member.session_id, 3)
    request.end(body)
    still.child.kill('SIGCONT')
    const [response] = (await answered) as [IncomingMessage]
    expect(response.statusCode).toBe(401)
    response.resume()
    await still.kill()
  })
})

/** Without a wake-up, in a transaction that commits so many seconds later. */
async function revokeUnheard(session_id: string, open_seconds: number): Promise<void> {
  const client = new pg.Client({ connectionString: world.database_url })
  await client.connect()
  await client.query(
    `with ended as (update identity.sessions set revoked_at = kernel.now(),
        revoked_reason = 'admin' where id = $1 returning id)
     select pg_sleep($2) from ended`,
    [session_id, open_seconds],
  )
  await client.end()
}
