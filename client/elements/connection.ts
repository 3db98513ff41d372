/**
 * Which session an element has: that of the nearest `connect` above it in the page. Connections are
 * kept at the nodes of the page, so that two copies of this script on one page know the same ones.
 */
import type { DodecaClient } from '../src/index.ts'

/** A client as `login`, `resume` or `createClient` returns it. */
type Client = DodecaClient & { readonly session?: { readonly account_id: string } }

export type Connected = { readonly client: Client; readonly account_id: string }

/** Asked at the first use. */
export type Connection = () => Promise<Connected>

/** Told to all elements when a connection begins or ends. */
export const connection_event = 'dodeca-connect'

const place = Symbol.for('dodeca.connection')
type Holder = Node & { [place]?: Connection }

/**
 * Gives the client of the page to the elements in `root`, and in the whole page by default. Without
 * a client they use the session of the page's cookies. Returns a function that takes it away.
 */
export function connect(
  { session }: { readonly session?: Client } = {},
  root: Holder | undefined = globalThis.document,
): () => void {
  if (session && !('GET' in session)) {
    throw new TypeError(
      '`session` is not a client. Pass what login(), resume() or createClient() of client.js returned.',
    )
  }
  const put = (found: Connection | undefined) => {
    if (root) Object.assign(root, { [place]: found })
    globalThis.document?.dispatchEvent(new Event(connection_event))
  }
  const made = connection(session)
  put(made)
  return () => {
    if (root?.[place] === made) put(undefined)
  }
}

/** Null on a page of another origin that has not connected: it has no cookies of the platform. */
export function connectionOf(element: Element): Connection | null {
  for (let node: Holder | null = element; node; node = node.parentNode ?? hostOf(node)) {
    if (node[place]) return node[place]
  }
  if (new URL(import.meta.url).origin !== location.origin) return null
  return ((document as Holder)[place] = connection())
}

function hostOf(node: Node): Node | null {
  return node instanceof ShadowRoot ? node.host : null
}

/** A failure is not remembered, so that an element may try again. */
function connection(session?: Client): Connection {
  let made: Promise<Connected> | undefined
  const ask = async () => {
    const client = session ?? (await ofPage())
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
async function ofPage(): Promise<Client> {
  const { resumePage } = await import('../src/index.ts')
  return await resumePage({ base_url: location.origin })
}
