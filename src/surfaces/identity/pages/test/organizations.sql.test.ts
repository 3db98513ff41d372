/** The page of organizations, as a browser without a script uses it. */
import { afterAll, expect, test } from 'vitest'
import { openProductWorld } from '../../../../../test/product-world.ts'
import { newSlug, organizationsOf } from '../../test/organization-world.ts'
import { credentials, loggedIn, openBrowser } from './visitor.ts'

const world = await openProductWorld()
const { proven, make, invite, enter } = organizationsOf(world)
afterAll(() => world.close())

const at = '/account/organizations'
/** The id in the form with this button, in the row of this text. */
const idBeside = (text: string, slug: string, action: string) => {
  const row = text.split('<li>').find(one => one.includes(slug)) ?? ''
  const form = row.split('</form>').find(one => one.includes(`value="${action}"`)) ?? ''
  return /name="id" value="([^"]+)"/.exec(form)?.[1]
}

test('a person makes an organization, works there, and comes home', async () => {
  const member = await proven()
  const browser = await loggedIn(world, member)
  expect((await browser.open('/account/')).text).toContain(`href="${at}"`)
  await browser.open(at)
  const slug = newSlug()
  const bad = await browser.send(at, { action: 'make', name: 'Acme', slug: 'No Slug' })
  expect(bad.status).toBe(422)
  expect(bad.text).toMatch(/id="slug"[^>]*aria-describedby="slug-error[^>]*aria-invalid/s)
  expect(bad.text).toContain('value="Acme"')
  const reserved = await browser.send(at, { action: 'make', name: 'Acme', slug: 'login' })
  expect([reserved.status, reserved.text.match(/role="alert"/g)?.length]).toEqual([409, 1])
  const made = await browser.send(at, { action: 'make', name: 'Acme <b>', slug })
  expect(made.to).toBe(`${at}?done=made`)
  const { text } = await browser.open(made.to ?? '')
  expect(text).toContain('Acme &lt;b&gt;')
  const id = idBeside(text, slug, 'turn')
  const turned = await browser.send(at, { action: 'turn', id: id ?? '' })
  expect(turned.to).toBe(`${at}?done=turned`)
  const token = browser.cookies.get('at')?.value ?? ''
  const me = await world.call('GET', '/v1/me', { token })
  expect(me.body).toMatchObject({ active_tenant_id: id, roles: ['tenant_admin'] })
  expect((await browser.open(at)).text).toContain('(you work here)')
  // The only administrator cannot leave.
  const stuck = await browser.send(at, { action: 'leave', id: id ?? '' })
  expect([stuck.status, stuck.text.includes('no administrator')]).toEqual([409, true])
  await browser.send(at, { action: 'turn', id: member.tenant.id })
  const home = await world.call('GET', '/v1/me', { token: browser.cookies.get('at')?.value ?? '' })
  expect(home.body.active_tenant_id).toBe(member.tenant.id)
})

test('a person accepts and declines invitations, and leaves', async () => {
  const [maker, guest, other] = [await proven(), await proven(), await proven()]
  const [org, declined] = [await make(maker), await make(other)]
  await invite(org, guest.email, { role_ids: ['auditor'] })
  await invite(declined, guest.email)
  const browser = await loggedIn(world, guest)
  const { text } = await browser.open(at)
  const refuse = { action: 'decline', id: idBeside(text, declined.slug, 'decline') ?? '' }
  expect((await browser.send(at, refuse)).to).toBe(`${at}?done=declined`)
  const join = { action: 'accept', id: idBeside(text, org.slug, 'accept') ?? '' }
  expect((await browser.send(at, join, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await browser.send(at, join)).to).toBe(`${at}?done=accepted`)
  const german = await browser.open(`${at}?lang=de`)
  expect(german.text).toContain('Keine Organisation hat Sie eingeladen.')
  expect(german.text).toContain(`${org.slug}, auditor`)
  expect((await enter(guest, org.id)).status).toBe(201)
  const leave = await browser.send(at, { action: 'leave', id: org.id })
  expect(leave.to).toBe(`${at}?done=left`)
  expect((await enter(guest, org.id)).status).not.toBe(201)
})

test('what is not the visitor’s does nothing, and who has proven no address is told so', async () => {
  const [maker, stranger] = [await proven(), await world.member()]
  const org = await make(maker)
  const browser = await loggedIn(world, stranger)
  expect((await browser.open(at)).text).toContain('Confirm your address to see')
  const { body } = await invite(org, maker.email)
  for (const action of ['turn', 'leave', 'accept', 'decline']) {
    const { status } = await browser.send(at, { action, id: action[0] === 'a' ? body.id : org.id })
    expect([action, status >= 400 && status < 500]).toEqual([action, true])
  }
  const unknown = openBrowser(world)
  const led = await unknown.open(at)
  expect(led.to).toBe(`/account/login?next=${encodeURIComponent(at)}`)
  expect((await unknown.send('/account/login', { ...credentials(stranger), next: at })).to).toBe(at)
})
