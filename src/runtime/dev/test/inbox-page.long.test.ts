/**
 * The inbox in a browser: both colour schemes, wide and on a phone, by keyboard, and without barriers.
 * Only the deadline of the test limits how long Chromium may take: two schemes and widths of axe take
 * half a minute on a busy machine.
 */
import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { chromium } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { newKey } from '../../../../test/world.ts'
import {
  openNotifyWorld,
  newAddress,
  usual_data,
} from '../../../surfaces/notifications/test/notify-world.ts'
import { chromium_args } from '../../../../test/chromium.ts'

const executablePath = '/usr/bin/chromium'
const world = await openNotifyWorld()
afterAll(() => world.close())

test.skipIf(!existsSync(executablePath))(
  'is readable in both schemes, on a phone, by keyboard',
  async () => {
    const who = await world.shared()
    const name = await world.template(who)
    const order = { category: 'order.updates', template: { name }, data: usual_data }
    for (const [recipient, channel] of [
      [{ phone: '+4930901820' }, 'sms'],
      [{ email: newAddress() }, 'email'],
    ] as const) {
      const sent = await world.send(who, { ...order, recipient, channels: [channel] }, newKey())
      await world.reaches(who, sent.body.id, 'sent')
    }
    const browser = await chromium.launch({ executablePath, args: chromium_args })
    try {
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const width of [1280, 390]) {
          const context = await browser.newContext({
            colorScheme,
            viewport: { width, height: 900 },
            bypassCSP: true,
          })
          const page = await context.newPage()
          page.setDefaultTimeout(0)
          await page.goto(`${world.url}/dev/inbox`)
          await page.addScriptTag({ content: axe.source })
          const violations =
            await page.evaluate(`axe.run(document, { iframes: false }).then(found =>
            found.violations.map(one => one.id + ': ' + one.nodes[0]?.html))`)
          expect(violations, `${colorScheme} ${width}`).toEqual([])
          const wide = await page.evaluate('document.documentElement.scrollWidth')
          expect(wide).toBeLessThanOrEqual(width)
          const shots = process.env['SHOTS']
          if (shots)
            await page.screenshot({ path: `${shots}/${colorScheme}-${width}.png`, fullPage: true })
          await context.close()
        }
      }
      const page = await browser.newPage()
      page.setDefaultTimeout(0)
      await page.goto(`${world.url}/dev/inbox?channel=sms`)
      expect(await page.locator('details.card').count()).toBe(1)
      const card = page.locator('details.card').first()
      await card.locator('summary').first().focus()
      await page.keyboard.press('Enter')
      expect(await card.getAttribute('open')).toBeNull()
      await page.keyboard.press('Enter')
      await page.locator('[data-outcome=delivered]').focus()
      await page.keyboard.press('Enter')
      await page.locator('output', { hasText: '204' }).waitFor()
    } finally {
      await browser.close()
    }
  },
)
