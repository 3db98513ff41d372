/** A browser without a script: it keeps cookies by their path, and sends the forms of a page. */
import { password, type Member, type ProductWorld } from '../../../../../test/product-world.ts'
import { newId } from '#dodeca/kernel'

export const newAddress = () => `v-${newId()}@example.test`
export const credentials = ({ email, tenant }: Member) => ({ email, password, tenant: tenant.slug })

type Kept = { readonly value: string; readonly path: string }
export type Seen = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Where a redirect leads. */
  readonly to: string | null
}

export type Browser = {
  readonly cookies: Map<string, Kept>
  open(path: string, headers?: Record<string, string>): Promise<Seen>
  /** Sends the form of the page that was opened last, with its hidden fields. */
  send(
    path: string,
    fields: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<Seen>
}

export function openBrowser(world: Pick<ProductWorld, 'url'>): Browser {
  const cookies = new Map<string, Kept>()
  let csrf: string | undefined
  const ask = async (method: string, path: string, init: RequestInit): Promise<Seen> => {
    const pathname = path.split('?')[0] ?? ''
    const cookie = [...cookies]
      .filter(([, kept]) => pathname.startsWith(kept.path))
      .map(([name, kept]) => `${name}=${kept.value}`)
      .join('; ')
    const headers = { ...(init.headers as Record<string, string>), ...(cookie ? { cookie } : {}) }
    const answer = await fetch(world.url + path, { ...init, method, headers, redirect: 'manual' })
    for (const line of answer.headers.getSetCookie()) keep(cookies, line)
    const text = await answer.text()
    csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? csrf
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      to: answer.headers.get('location'),
    }
  }
  return {
    cookies,
    open: (path, headers = {}) => ask('GET', path, { headers }),
    send: (path, fields, headers = {}) =>
      ask('POST', path, {
        headers: { ...(headers['origin'] ? {} : { 'sec-fetch-site': 'same-origin' }), ...headers },
        body: new URLSearchParams({ ...(csrf ? { csrf } : {}), ...fields }),
      }),
  }
}

function keep(cookies: Map<string, Kept>, line: string): void {
  const [pair = '', ...attributes] = line.split('; ')
  const name = pair.slice(0, pair.indexOf('='))
  const path = attributes.find(one => one.startsWith('Path='))?.slice(5) ?? '/'
  if (attributes.includes('Max-Age=0')) cookies.delete(name)
  else cookies.set(name, { value: pair.slice(name.length + 1), path })
}

/** A browser in which this person has logged in and looks at the account. */
export async function loggedIn(world: Pick<ProductWorld, 'url'>, who: Member): Promise<Browser> {
  const browser = openBrowser(world)
  const answer = await browser.send('/account/login', credentials(who))
  if (answer.to !== '/account/') throw new Error(`no login: ${answer.status}`)
  await browser.open('/account/')
  return browser
}
