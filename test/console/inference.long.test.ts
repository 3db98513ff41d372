/**
 * Models in the console: a call and its steps, what waits for a yes, usage over days, own providers, and
 * how a program connects.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import {
  act,
  audit,
  has_chromium,
  openConsoleWorld,
  read,
  send,
  shoot,
  type Visitor,
} from './console-world.ts'

type Row = Readonly<Record<string, unknown>>

describe.skipIf(!has_chromium)('inference in the console', async () => {
  if (!has_chromium) return
  const console_world = await openConsoleWorld()
  const { url } = console_world
  let person: Visitor
  let page: Page
  beforeAll(async () => {
    person = await console_world.visit('tenant-admin@acme.example', '/console', 'dark')
    page = person.page
  })
  afterAll(() => console_world.close())
  const open = (at: string) => page.goto(`${url}/console/${at}`)

  test('a model answers word by word, and usage has its charts', async () => {
    await open('inference/inferences')
    await page.getByLabel('Input').fill('Write one sentence about the sea.')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText(/^Input tokens \d+ · Output tokens [1-9]/).waitFor()
    expect(await page.locator('.answer').innerText()).not.toBe('')
    await audit(page, 'a model')
    await open('inference/usage')
    await page.getByRole('img', { name: /^Cost amount: / }).waitFor()
    await page.getByLabel('Group by').selectOption('workload')
    await page.locator('.legend').getByText('inference').waitFor()
    await page.locator('.usage select').selectOption('output_tokens')
    await page.getByRole('img', { name: /^Output tokens: [1-9]/ }).waitFor()
    await audit(page, 'usage')
    await shoot(page, 'surface-usage')
    expect(person.faults()).toEqual([])
  })

  test('a call shows what the model asked for', async () => {
    const { id } = await send(page, '/v1/inferences', {
      model: 'default',
      input: 'What is it like? [[sandbox call=weather args={"city":"Bern"}]]',
      tags: ['feature:weather'],
      parameters: { tools: [{ type: 'function', name: 'weather', schema: { type: 'object' } }] },
    })
    await open(`inference/inferences/${String(id)}`)
    await page.locator('.timeline summary').getByText('weather').click()
    await page.locator('.timeline').getByText('"city"').waitFor()
    await page.locator('.fields').getByText('feature:weather').waitFor()
    await audit(page, 'a call')
    await shoot(page, 'surface-call')
    expect(person.faults()).toEqual([])
  })

  test('what a model wants to do waits for a click, and is done once', async () => {
    const ask = async (args: object) => {
      const input = `Shorten it. [[sandbox call=createLink args=${JSON.stringify(args)}]]`
      const tools = [{ type: 'operation', name: 'createLink' }]
      await send(page, '/v1/inferences', { model: 'default', input, parameters: { tools } })
    }
    const links = async () => (await read(page, '/v1/links?limit=100'))['data'] as Row[]
    const made = async () => (await links()).map(one => one['destination_url'])
    const [wanted, refused] = ['https://example.com/wanted', 'https://example.com/refused']
    await ask({ destination_url: wanted, title: 'a\u202Eb' })
    await open('inference/approvals')
    const waiting = page.locator('main .card').filter({ hasText: wanted })
    await waiting.getByText('createLink · POST /v1/links').waitFor()
    // A sign that turns the text around is shown as what it is.
    await waiting.getByText(String.raw`"a\u{202e}b"`).waitFor()
    await audit(page, 'approvals')
    await shoot(page, 'surface-approvals')
    expect(await made()).not.toContain(wanted)
    await waiting.getByRole('button', { name: 'Allow once' }).dblclick()
    await page.locator('.timeline summary').getByText('done').waitFor()
    await page.getByText('Nothing waits for your yes.').waitFor()
    expect((await made()).filter(one => one === wanted)).toHaveLength(1)
    await audit(page, 'approved')

    await ask({ destination_url: refused })
    await page.locator('main .card').filter({ hasText: refused }).waitFor()
    await page.getByRole('button', { name: 'Refuse' }).click()
    await page.locator('.timeline summary').getByText('refused').waitFor()
    expect(await made()).not.toContain(refused)
    expect(person.faults()).toEqual([])
  })

  test('an own provider has a key that no page shows', async () => {
    const { page: at, faults } = await console_world.visit('owner@acme.example')
    const key = 'sk-0123456789-of-the-tenant'
    await at.goto(`${url}/console/inference/providers`)
    await at.getByRole('button', { name: 'Create model provider' }).click()
    const field = at.getByRole('dialog').getByLabel(/^Auth: Key/)
    expect(await field.getAttribute('type')).toBe('password')
    await audit(at, 'the form of a provider')
    await at.keyboard.press('Escape')
    const given = { Name: 'ours', Kind: 'openai', 'Auth: Type': 'bearer', 'Auth: Key': key }
    const put = await act(at, 'Create model provider', given)
    expect(await put.json()).toMatchObject({ name: 'ours', auth: { last4: 'nant' } })
    await at.getByRole('cell', { name: 'ours', exact: true }).click()
    await at.locator('.fields').getByText('nant').waitFor()
    expect(await at.content()).not.toContain(key)
    await audit(at, 'a provider')
    await shoot(at, 'surface-provider')
    const changed = await act(at, 'Put model provider', { State: 'disabled' })
    expect(await changed.json()).toMatchObject({ state: 'disabled', auth: { last4: 'nant' } })
    await at.getByRole('button', { name: 'Delete model provider' }).click()
    const gone = at.waitForResponse(one => one.request().method() === 'DELETE')
    await at.getByRole('dialog').locator('footer button').last().click()
    expect((await gone).status()).toBe(204)
    expect(await read(at, '/v1/model-providers')).toMatchObject({ data: [] })
    expect(faults()).toEqual([])
  })

  test('a program is connected by what the page shows', async () => {
    await open('inference/connect')
    await page.getByRole('button', { name: 'OpenAI, Python', exact: true }).click()
    const code = page.locator('pre[aria-label="OpenAI, Python"]')
    expect(await code.innerText()).toContain(`base_url="${new URL(page.url()).origin}/v1"`)
    await audit(page, 'connect')
    await shoot(page, 'surface-connect')
    const made = await act(page, 'Create api key')
    const { key } = (await made.json()) as { key: string }
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ model: 'default', input: 'Hello.' })
    const { origin } = new URL(page.url())
    const answer = await fetch(`${origin}/v1/responses`, { method: 'POST', headers, body })
    expect(answer.status).toBe(200)
    expect(person.faults()).toEqual([])
  })
})
