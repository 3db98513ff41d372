/** A person in the console sees the steps of a workflow while it goes on. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { engineComposition } from '../../src/surfaces/jobs/attempts/test/engine-composition.ts'
import {
  audit,
  has_chromium,
  openConsoleWorld,
  send,
  shoot,
  type Visitor,
} from './console-world.ts'

describe.skipIf(!has_chromium)('a person in the console', async () => {
  if (!has_chromium) return
  const console_world = await openConsoleWorld({}, engineComposition)
  let person: Visitor
  beforeAll(async () => {
    person = await console_world.visit('tenant-admin@acme.example')
  })
  afterAll(() => console_world.close())

  test('sees the steps of a workflow, and what it waits for', async () => {
    const { page } = person
    const job = await send(page, '/v1/jobs', {
      type: 'test.listed',
      parameters: {
        steps: [
          { kind: 'sleep', name: 'a moment', seconds: 0 },
          { kind: 'run', name: 'refused once', fails: 1 },
          { kind: 'signal', name: 'approve' },
        ],
      },
    })
    await page.goto(`${console_world.url}/console/jobs/jobs/${String(job['id'])}`)
    const step = (name: string) => page.locator('.timeline li', { hasText: name })
    await step('approve').getByText('waiting').waitFor()
    await step('a moment').getByText('done').waitFor()
    await step('refused once').getByText('Attempts: 2').waitFor()
    await audit(page, 'a workflow')
    await shoot(page, 'act-steps')
    await send(page, `/v1/jobs/${String(job['id'])}/signals`, { name: 'approve' })
    await step('approve').getByText('done').waitFor()
    await page.locator('h1 .state').getByText('succeeded', { exact: true }).waitFor()
    expect(person.faults()).toEqual([])
  })
})
