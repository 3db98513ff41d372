/**
 * A browser as far as logins at a provider need one: it keeps cookies by host and path, follows
 * redirects, sends the forms it is shown, and stops where the application would take over.
 */
export const application = 'http://localhost:4999/login'

export type Page = {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

type Kept = { readonly value: string; readonly path: string }
type Ask = {
  readonly form?: Record<string, string>
  readonly json?: object
  readonly token?: string
  readonly headers?: Record<string, string>
}

const hops_max = 20

export class Browser {
  /** Where hosts of this test really are. */
  readonly #places: Readonly<Record<string, string>>
  readonly #jar = new Map<string, Map<string, Kept>>()

  constructor(places: Readonly<Record<string, string>>) {
    this.#places = places
  }

  async open(url: string, { form, json, token, headers: more }: Ask = {}): Promise<Page> {
    const { origin, hostname, pathname, search } = new URL(url)
    const sent = form ? new URLSearchParams(form).toString() : json && JSON.stringify(json)
    const type = form ? 'application/x-www-form-urlencoded' : 'application/json'
    const response = await fetch((this.#places[origin] ?? origin) + pathname + search, {
      method: sent === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: {
        cookie: this.#cookies(hostname, pathname),
        ...(sent === undefined ? {} : { 'content-type': type }),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...more,
      },
      ...(sent === undefined ? {} : { body: sent }),
    })
    for (const line of response.headers.getSetCookie()) this.#keep(hostname, line)
    const { status, headers } = response
    return { url, status, headers, text: await response.text() }
  }

  /** Follows redirects to the first address that is a page, or that `stop` wants to see unopened. */
  async follow(
    url: string,
    stop: (next: string) => boolean = isApplication,
    ask: Ask = {},
  ): Promise<Page> {
    let page = await this.open(url, ask)
    for (let hop = 0; hop < hops_max; hop++) {
      const location = page.headers.get('location')
      if (location === null) return page
      const next = new URL(location, page.url).href
      if (stop(next)) return { ...page, url: next }
      page = await this.open(next)
    }
    throw new Error(`too many redirects: ${page.url}`)
  }

  #keep(host: string, line: string): void {
    const [pair = '', ...attributes] = line.split(/;\s*/)
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    const valueOf = (wanted: string) =>
      attributes.find(one => one.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1)
    const path = valueOf('path') ?? '/'
    const past = Date.parse(valueOf('expires') ?? '') < performance.timeOrigin
    const jar = this.#jar.get(host) ?? new Map<string, Kept>()
    this.#jar.set(host, jar)
    if (valueOf('max-age') === '0' || past) jar.delete(`${name} ${path}`)
    else jar.set(`${name} ${path}`, { value, path })
  }

  #cookies(host: string, pathname: string): string {
    const found = [...(this.#jar.get(host) ?? [])].filter(
      ([, { path }]) =>
        pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`),
    )
    return found.map(([key, { value }]) => `${key.split(' ')[0]}=${value}`).join('; ')
  }
}

export function isApplication(url: string): boolean {
  return url.startsWith(application)
}

export function answered(page: Page, name: string): string | null {
  return new URL(page.url).searchParams.get(name)
}
