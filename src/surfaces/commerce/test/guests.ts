/** Guests of a shop, who have nothing but the mails of their orders, and what they do on the page of one. */
import { expect } from 'vitest'
import { arrived, inbox } from '../../../../test/inbox.ts'
import type { Answer } from '../../../../test/world.ts'
import { newId } from '#dodeca/kernel'
import { openShopWorld, type Shop, type ShopWorld } from './shop-world.ts'

export const category = 'order.updates'
export const newAddress = () => `guest-${newId()}@example.test`

export type Guests = ReturnType<typeof guestsOf>

/** A shop that takes the money at once, and its guests. */
export async function openGuestShop(settings: Record<string, string> = {}) {
  const world = await openShopWorld({ IDENTITY_ACCESS_TTL_SECONDS: '3600', ...settings })
  const shop = await world.shop({ capture_policy: 'on_confirm' })
  return { world, shop, guests: guestsOf(world, shop) }
}

export function guestsOf(world: ShopWorld, shop: Shop) {
  /** The link to the page, in the newest mail about the order. */
  async function linkIn(email: string, many = 1): Promise<string> {
    const [mail] = await arrived(world, { email }, category, many)
    const [, link = ''] = /http:\/\/dodeca\.test(\/orders\/\S+)/.exec(mail?.text ?? '') ?? []
    expect(link).not.toBe('')
    return link
  }

  const open = (link: string) => world.call('GET', link)

  /** Sends a form of the page. */
  const send = (
    link: string,
    form: string,
    fields: Record<string, string> = {},
  ): Promise<Answer> => {
    const [path = '', query = ''] = link.split('?')
    const body = new URLSearchParams(fields).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return world.call('POST', `${path}/${form}?${query}`, { body, headers })
  }

  async function codeFor(link: string, email: string): Promise<string> {
    const before = (await inbox(world, { email }, category)).length
    expect((await send(link, 'codes')).status).toBe(200)
    const [mail] = await arrived(world, { email }, category, before + 1)
    return /\b\d{8}\b/.exec(mail?.text ?? '')?.[0] ?? ''
  }

  async function bought(more: object = {}, quantity = 1) {
    const guest = await shop.guest()
    const email = newAddress()
    const sku = await shop.product({ amount_minor: 1000 })
    const order = await guest.order({ [sku]: quantity }, { email, ...more })
    return { guest, email, order, sku }
  }

  return { linkIn, open, send, codeFor, bought }
}
