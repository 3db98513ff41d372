/** Models in the console: a call and its steps, usage over days, and how a program connects. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import {
  act,
  audit,
  has_chromium,
  openConsoleWorld,
  send,
  shoot,
  type Visitor,
} from './console-world.ts'

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
