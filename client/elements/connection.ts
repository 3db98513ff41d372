/**
 * Which session an element has: that of the nearest `connect` above it in the page. Connections are
 * kept at the nodes of the page, so that two copies of this script on one page know the same ones.
 */
import type { DodecaClient } from '../src/index.ts'

/** A client as `login`, `resume` or `createClient` returns it. */
export type Client = DodecaClient & { readonly session?: { readonly account_id: string } }

export type ConnectOptions = {
  /** The address of the platform. The default is the address of this script. */
  readonly base_url?: string
  /** The client of the page. Without it, the session of the page's cookies is used. */
  readonly session?: Client
}

export type Connected = { readonly client: Client; readonly account_id: string }

/** Called at its first use, and remembered. */
export type Connection = () => Promise<Connected>

/** Told to all elements when a connection begins or ends. */
export const connection_event = 'dodeca-connect'

const place = Symbol.for('dodeca.connection')
type Holder = Node & { [place]?: Connection }

/**
 * Gives a session to the elements in `root`, and in the whole page by default. An element uses the
 * nearest one above it. Returns a function that takes the session away again.
 */
export function connect(
  { base_url = ownAddress(), session }: ConnectOptions = {},
  root: Node | undefined = globalThis.document,
): () => void {
  if (session !== undefined && !('GET' in session)) {
    throw new TypeError(
      '`session` is not a client. Pass what login(), resume() or createClient() of client.js returned.',
    )
  }
  const holder = root as Holder | undefined
  const made = connection(base_url, session)
  if (holder) holder[place] = made
  announce()
  return () => {
    if (holder?.[place] !== made) return
    delete holder[place]
    announce()
  }
}

/** Null on a page of another origin that has not connected yet: it has no cookies of the platform. */
export function connectionOf(element: Element): Connection | null {
  for (let node: Node | null = element; node; node = above(node)) {
    const found = (node as Holder)[place]
    if (found) return found
  }
  const base_url = ownAddress()
  if (base_url !== location.origin) return null
  return ((document as Holder)[place] = connection(base_url))
}

function above(node: Node): Node | null {
  return node.parentNode ?? (node instanceof ShadowRoot ? node.host : null)
}

function announce(): void {
  globalThis.document?.dispatchEvent(new Event(connection_event))
}

function ownAddress(): string {
  return new URL(import.meta.url).origin
}

/** Asked at the first use. A failure is not remembered, so that an element may try again. */
function connection(base_url: string, session?: Client): Connection {
  let made: Promise<Connected> | undefined
  const ask = async () => {
    const client = session ?? (await ofPage(base_url))
    const account_id = client.session?.account_id ?? (await client.GET('/v1/me')).data.id
    return { client, account_id }
  }
  return () =>
    (made ??= ask().catch((error: unknown) => {
      made = undefined
      throw error
    }))
}

/** The bundle leaves this import to the browser: it is the module `client.js` beside this one. */
async function ofPage(base_url: string): Promise<Client> {
  const { resumePage } = await import('../src/index.ts')
  return await resumePage({ base_url })
}
