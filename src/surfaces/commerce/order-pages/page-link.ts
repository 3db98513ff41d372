/**
 * The signed link to the page of an order. It stands in mails, which are forwarded, so its holder sees
 * less than the buyer. The signature covers the shop, although the shop is a parameter beside it.
 */
import { Type } from 'typebox'
import { closed, Id, text, type Reader, type SignedGrant } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { Key } from '../schemas.ts'

const day_seconds = 86_400

export const PageQuery = closed({
  exp: Type.Optional(text(20)),
  kid: Type.Optional(text(64)),
  sig: Type.Optional(text(64)),
  shop: Type.Optional(Id),
})

export type PageParams = {
  readonly params: { readonly order_id: string }
  readonly query: Readonly<Record<string, string | undefined>>
}

function grantOf({ tenant_id, id }: Key): SignedGrant {
  return { method: 'GET', path: `/orders/${id}`, limits: { shop: tenant_id } }
}

export function pageUrl(kernel: Deps['kernel'], key: Key): string {
  const days = kernel.settings['commerce.order_page_days']
  const ends = kernel.clock.nowSeconds() + days * day_seconds
  const signed = kernel.signedUrls.sign(grantOf(key), ends)
  return `${kernel.public_url}${signed}&shop=${key.tenant_id}`
}

/** Returns the order of the link. The forms of the page have the link's own signature. */
export async function requireLink(
  reader: Reader,
  { kernel, people }: Pick<Deps, 'kernel' | 'people'>,
  { params: { order_id }, query }: PageParams,
): Promise<Key> {
  const key = { tenant_id: query['shop'] ?? '', id: order_id }
  const verdict = kernel.signedUrls.verify(grantOf(key), query, kernel.clock.nowSeconds())
  if (verdict !== 'ok') throw problem(verdict)
  if (!(await people.isOpen(reader, key.tenant_id))) throw problem('shop_closed')
  return key
}
