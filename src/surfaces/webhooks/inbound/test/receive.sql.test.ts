/** Of each scheme: only genuine, timely messages are received, and each once. Vendors' libraries sign. */
import { afterAll, describe, expect, test } from 'vitest'
import { openProductWorld } from '../../../../../test/product-world.ts'
import { newId } from '#dodeca/kernel'
import type { SchemeName } from '../schemas.ts'
import * as by from './signers.ts'
import { openSource } from './sources.ts'

const world = await openProductWorld()
afterAll(() => world.close())

type Case = {
  readonly name: string
  readonly scheme: SchemeName
  readonly more?: object
  signed(signing: by.Signing): by.Signed | Promise<by.Signed>
  readonly answer: readonly [status: number, text: string, type: string | null]
  readonly type: string | null
  readonly timed: boolean
}

const cases: readonly Case[] = [
  {
    name: 'stripe',
    scheme: 'stripe',
    signed: by.byStripe,
    answer: [200, '{"received":true}', 'application/json; charset=utf-8'],
    type: 'charge.succeeded',
    timed: true,
  },
  {
    name: 'github',
    scheme: 'github',
    signed: by.byGithub,
    answer: [202, '', null],
    type: 'issues',
    timed: false,
  },
  {
    name: 'slack',
    scheme: 'slack',
    signed: by.bySlack,
    answer: [200, '', 'text/plain'],
    type: 'message',
    timed: true,
  },
  {
    name: 'twilio',
    scheme: 'twilio',
    signed: by.byTwilio,
    answer: [200, '<Response/>', 'text/xml; charset=utf-8'],
    type: 'sent',
    timed: false,
  },
  {
    name: 'twilio with JSON',
    scheme: 'twilio',
    signed: by.byTwilioJson,
    answer: [200, '<Response/>', 'text/xml; charset=utf-8'],
    type: null,
    timed: false,
  },
  {
    name: 'standard',
    scheme: 'standard',
    signed: by.byStandard,
    answer: [204, '', null],
    type: 'thing.done',
    timed: true,
  },
  {
    name: 'standard by svix',
    scheme: 'standard',
    signed: by.bySvix,
    answer: [204, '', null],
    type: 'thing.done',
    timed: true,
  },
  {
    name: 'generic_hmac',
    scheme: 'generic_hmac',
    more: { options: by.genericOptions },
    signed: by.byGeneric,
    answer: [204, '', null],
    type: null,
    timed: true,
  },
]

describe.concurrent.for(cases)('$name', one => {
  test('is received, kept as it came, and acknowledged as its provider documents', async () => {
    const source = await openSource(world, one.scheme, one.more)
    const signed = await one.signed(source.signing())
    const answer = await source.send(signed)
    expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual(one.answer)
    const [receipt, ...others] = await source.receipts()
    expect(others).toEqual([])
    expect(receipt).toMatchObject({
      event_type: one.type,
      signature_key_version: 1,
      processing_state: 'ignored',
    })
    const { body } = await world.call('GET', receipt.payload_ref, source.owner)
    expect(body).toMatchObject({ encoding: 'utf8', body: signed.body })
    expect(JSON.stringify(body.headers)).not.toMatch(/signature/)
  })

  test('is refused with a byte changed, with another secret, and without a signature', async () => {
    const source = await openSource(world, one.scheme, one.more)
    const other = await openSource(world, one.scheme, one.more)
    const signed = await one.signed(source.signing())
    const forged = [
      { ...signed, body: `${signed.body} ` },
      { ...signed, headers: { 'content-type': 'application/json' } },
      await one.signed({ ...source.signing(), secret: other.secret }),
    ]
    for (const message of forged) {
      const answer = await source.send(message)
      expect([answer.status, answer.body.code]).toEqual([401, 'signature_invalid'])
    }
    // What is genuine for one account is forged for another.
    const elsewhere = await other.send(signed)
    expect([elsewhere.status, elsewhere.body.code]).toEqual([401, 'signature_invalid'])
    expect([await source.receipts(), await other.receipts()]).toEqual([[], []])
  })

  test('is one receipt however often it comes, and the answer is the same', async () => {
    const source = await openSource(world, one.scheme, one.more)
    const signed = await one.signed(source.signing())
    const answers = await Promise.all(Array.from({ length: 100 }, () => source.send(signed)))
    const receipts = await source.receipts()
    expect(receipts).toHaveLength(1)
    const [status, text] = one.answer
    const location = status === 202 ? `/v1/inbound-receipts/${receipts[0].id}` : null
    expect(new Set(answers.map(a => `${a.status} ${a.text} ${a.headers.get('location')}`))).toEqual(
      new Set([`${status} ${text} ${location}`]),
    )
    const shown = await world.call('GET', location ?? receipts[0].payload_ref, source.owner)
    expect(shown.status).toBe(200)
  })

  test('is too old or too new outside its window, where its time is signed', async () => {
    const source = await openSource(world, one.scheme, one.more)
    for (const age of [400, -400]) {
      const answer = await source.send(await one.signed(source.signing(age)))
      expect([answer.status, answer.body?.code]).toEqual(
        one.timed ? [401, 'timestamp_out_of_window'] : [one.answer[0], answer.body?.code],
      )
    }
  })

  test('is received with the old secret and with the new one while both are named', async () => {
    const source = await openSource(world, one.scheme, one.more)
    const fresh = one.scheme === 'standard' ? by.newWhsec() : newId()
    await openSource(
      world,
      one.scheme,
      {
        ...one.more,
        secrets: [
          { version: 1, value: source.secret },
          { version: 2, value: fresh },
        ],
      },
      { owner: source.owner, account: source.address.split('/').at(-1) ?? '' },
    )
    await source.send(await one.signed({ ...source.signing(), secret: fresh }))
    await source.send(await one.signed(source.signing()))
    const versions = (await source.receipts()).map(row => row.signature_key_version)
    expect(versions).toEqual([1, 2])
  })
})
