/** Tools that ask first: a yes is for one caller, one call and a short time, and acts once. */
import { afterAll, describe, expect, test } from 'vitest'
import { newId, sql } from '#dodeca/kernel'
import { openPaymentWorld, type Merchant } from '../../src/surfaces/payments/test/payment-world.ts'
import { connect, connectOld, rpc, saidIn, toolCall } from './clients.ts'

const world = await openPaymentWorld()
afterAll(() => world.close())
const { url } = world

async function paid(shop: Merchant) {
  const { id } = await shop.captured(5000)
  return { id, arguments: { intent_id: id, amount_minor: 500, reason: 'requested_by_customer' } }
}

const refunds = async (shop: Merchant, intent_id: string): Promise<unknown[]> =>
  (await shop.ask('GET', `/v1/refunds?intent_id=${intent_id}`)).body.data

describe('a client of others', () => {
  test('reads a payment, asks for a refund, gets the yes and refunds once', async () => {
    const shop = await world.merchant()
    const { id, arguments: given } = await paid(shop)
    const asked: string[] = []
    const client = await connect(url, shop.token, message => {
      asked.push(message)
      return {}
    })
    const { tools } = await client.listTools()
    expect(tools.map(one => one.name)).toEqual(
      expect.arrayContaining(['createRefund', 'getPaymentIntent', 'listRefunds']),
    )
    const read = await client.callTool({ name: 'getPaymentIntent', arguments: { id } })
    expect(saidIn(read)).toMatchObject({ id, state: 'captured' })
    const done = await client.callTool({ name: 'createRefund', arguments: given })
    expect(done.isError, JSON.stringify(done)).toBe(false)
    expect(saidIn(done)).toMatchObject({ intent_id: id, amount_minor: 500 })
    expect(asked).toHaveLength(1)
    expect(asked[0]).toContain('"amount_minor": 500')
    expect(await refunds(shop, id)).toHaveLength(1)
    await client.close()
  })

  test.each([{ approve: false }, { action: 'decline' as const }])(
    'that says no does nothing: %o',
    async answer => {
      const shop = await world.merchant()
      const { id, arguments: given } = await paid(shop)
      const client = await connect(url, shop.token, () => answer)
      const done = await client.callTool({ name: 'createRefund', arguments: given })
      expect([done.isError, saidIn(done).code]).toEqual([true, 'approval_refused'])
      expect(await refunds(shop, id)).toEqual([])
      await client.close()
    },
  )

  test('that cannot ask is told so', async () => {
    const shop = await world.merchant()
    const { id, arguments: given } = await paid(shop)
    const client = await connect(url, shop.token)
    await expect(client.callTool({ name: 'createRefund', arguments: given })).rejects.toMatchObject(
      {
        code: -32_021,
      },
    )
    const old = await connectOld(url, shop.token)
    const done = await old.callTool({ name: 'createRefund', arguments: given })
    expect(done.isError).toBe(true)
    expect(await refunds(shop, id)).toEqual([])
    await Promise.all([client.close(), old.close()])
  })
})

const yes = { approval: { action: 'accept', content: { approve: true } } }

async function asking(shop: Merchant) {
  const { id, arguments: given } = await paid(shop)
  const { result } = await toolCall(url, shop.token, 'createRefund', given)
  expect(result.resultType).toBe('input_required')
  const state = result.requestState as string
  const approve = (token = shop.token, args: object = given, more: object = {}) =>
    toolCall(url, token, 'createRefund', args, {
      requestState: state,
      inputResponses: yes,
      ...more,
    })
  return { id, given, state, approve }
}

describe('a yes', () => {
  test('twenty times at once is one refund', async () => {
    const shop = await world.merchant()
    const { id, approve } = await asking(shop)
    const all = await Promise.all(Array.from({ length: 20 }, () => approve()))
    const made = new Set(all.filter(one => !one.result.isError).map(one => one.said.id))
    expect(made.size).toBe(1)
    expect((await approve()).said.id).toBe([...made][0])
    expect(await refunds(shop, id)).toHaveLength(1)
  })

  test('is not for other arguments, another tool or another caller', async () => {
    const shop = await world.merchant()
    const { id, given, state, approve } = await asking(shop)
    const other = await world.merchant()
    const again = await world.again(shop)
    const colleague = await world.member(shop.tenant)
    await world.give(colleague, 'refund_operator')
    const tried = [
      await approve(shop.token, { ...given, amount_minor: 5000 }),
      await approve(other.token),
      await approve(colleague.token),
      await approve(again.token),
      await approve(shop.token, given, { requestState: `${state.slice(0, -4)}AAAA` }),
      await approve(shop.token, given, { requestState: newId() }),
      await toolCall(
        url,
        shop.token,
        'cancelOrder',
        { order_id: newId() },
        {
          requestState: state,
          inputResponses: yes,
        },
      ),
    ]
    for (const { result, said } of tried) {
      expect([result.isError, said.code]).toEqual([true, 'approval_invalid'])
    }
    expect(await refunds(shop, id)).toEqual([])
  })

  test('is too late after five minutes', async () => {
    const shop = await world.merchant()
    const { id, approve } = await asking(shop)
    const { clock } = world.platform.kernel
    try {
      clock.setOffset(301)
      const { result, said } = await approve()
      expect([result.isError, said.code]).toEqual([true, 'approval_invalid'])
      expect(await refunds(shop, id)).toEqual([])
      clock.setOffset(240)
      expect((await approve()).said).toMatchObject({ intent_id: id })
    } finally {
      clock.setOffset(0)
    }
    expect(await refunds(shop, id)).toHaveLength(1)
  })

  test('without an answer, or with another one, is none', async () => {
    const shop = await world.merchant()
    const { id, approve, given } = await asking(shop)
    for (const inputResponses of [
      undefined,
      [],
      { approval: { action: 'accept' } },
      { other: yes },
    ]) {
      expect((await approve(shop.token, given, { inputResponses })).said.code).toBe(
        'approval_refused',
      )
    }
    expect(await refunds(shop, id)).toEqual([])
  })

  test('does not count after the rights are gone', async () => {
    const shop = await world.merchant()
    const { id, approve } = await asking(shop)
    await world.platform.kernel.db.run(
      sql`delete from identity.role_assignments where account_id = ${shop.id} and role_id = 'refund_operator'`,
    )
    const { result, said } = await approve()
    expect([result.isError, said.code]).toEqual([true, 'permission_denied'])
    expect(await refunds(shop, id)).toEqual([])
  })

  test('is not asked for what is refused anyway', async () => {
    const member = await world.member()
    const denied = await toolCall(url, member.token, 'createRefund', { intent_id: newId() })
    expect([denied.result.isError, denied.said.code]).toEqual([true, 'permission_denied'])
    const shop = await world.merchant()
    const unfit = await toolCall(url, shop.token, 'createRefund', {
      intent_id: newId(),
      amount: 'all',
    })
    expect([unfit.result.isError, unfit.said.status]).toEqual([true, 422])
    const unknown = await toolCall(url, shop.token, 'createRefund', {
      intent_id: newId(),
      amount_cents: 1,
    })
    expect(unknown.said.code).toBe('unsupported_field')
  })

  test('shows all that is done, also what is hidden in it', async () => {
    const shop = await world.merchant()
    const { id } = await shop.captured(5000)
    const hidden = await toolCall(url, shop.token, 'createRefund', {
      intent_id: id,
      note: 'a\u202eb',
    })
    expect(hidden.result.inputRequests.approval.params.message).toContain('a\\u202eb')
  })
})

describe('a change without a key', () => {
  test('is of the version that was read, so a yes that is sent again changes nothing', async () => {
    const one = await world.member()
    const ask = (method: string, path: string, body: object) =>
      world.call(method, path, { token: one.token, body })
    const { body: post } = await ask('POST', '/v1/posts', { body: 'First.', visibility: 'public' })
    const edit = (args: object, more?: Record<string, unknown>) => {
      const given = { post_id: post.id, body: 'Second.', ...args }
      return toolCall(url, one.token, 'write', { operation: 'editPost', arguments: given }, more)
    }
    for (const args of [{}, { if_match: null }, { if_match: '*' }]) {
      const refused = await edit(args)
      expect([refused.result.isError, refused.said.code]).toEqual([true, 'validation_failed'])
    }
    const version = { if_match: post.version }
    const { requestState } = (await edit(version)).result
    const approve = () => edit(version, { requestState, inputResponses: yes })
    const tried = await Promise.all(Array.from({ length: 5 }, approve))
    const codes = tried.map(({ said }) => String(said.code ?? said.body))
    expect(codes.filter(one => one === 'Second.')).toHaveLength(1)
    expect(codes.filter(one => one === 'precondition_failed')).toHaveLength(4)
    await ask('PATCH', `/v1/posts/${post.id}`, { body: 'Third.' })
    expect((await approve()).said.code).toBe('precondition_failed')
    const read = await world.call('GET', `/v1/posts/${post.id}`, { token: one.token })
    expect(read.body.body).toBe('Third.')
  })

  test('that could undo what others did is no tool', async () => {
    const one = await world.member()
    for (const operation of ['deletePost', 'unfollowUser', 'putCollectionAcl', 'putQuota']) {
      const call = toolCall(url, one.token, 'write', { operation, arguments: {} })
      expect(JSON.stringify(await call)).toContain('Unknown operation')
    }
  })
})

test('a payment of another tenant is not found', async () => {
  const [shop, other] = await Promise.all([world.merchant(), world.merchant()])
  const { id } = await other.captured(5000)
  const read = await toolCall(url, shop.token, 'getPaymentIntent', { id })
  expect(read.said).toMatchObject({ status: 404, code: 'payment_intent_not_found' })
  const asked = await toolCall(url, shop.token, 'createRefund', { intent_id: id })
  const done = await toolCall(
    url,
    shop.token,
    'createRefund',
    { intent_id: id },
    {
      requestState: asked.result.requestState,
      inputResponses: yes,
    },
  )
  expect(done.said.status).toBe(404)
  expect(await refunds(other, id)).toEqual([])
})

test('an API key says yes only if it was made for that', async () => {
  const shop = await world.merchant()
  const { id, arguments: given } = await paid(shop)
  const keyOf = async (...permissions: string[]) => {
    const made = await world.call('POST', '/v1/api-keys', {
      token: shop.token,
      body: { name: 'agent', permissions },
    })
    expect(made.status, made.text).toBe(201)
    return String(made.body.key ?? made.body.api_key ?? made.body.secret)
  }
  const token = await keyOf('payments.refunds.create')
  const asked = await toolCall(url, token, 'createRefund', given)
  expect(asked.said).toMatchObject({
    code: 'permission_denied',
    permission: 'kernel.tools.approve',
  })
  await world.allow(shop, 'kernel.tools.approve')
  const allowed = await keyOf('payments.refunds.create', 'kernel.tools.approve')
  const next = await toolCall(url, allowed, 'createRefund', given)
  const done = await toolCall(url, allowed, 'createRefund', given, {
    requestState: next.result.requestState,
    inputResponses: yes,
  })
  expect(done.result.isError).toBe(false)
  expect(await refunds(shop, id)).toHaveLength(1)
})

test('an unknown tool is an error of the protocol', async () => {
  const shop = await world.merchant()
  const { body } = await rpc(url, shop.token, 'tools/call', {
    params: { name: 'rotateSigningKey', arguments: {} },
  })
  expect(body.error.code).toBe(-32_602)
})
