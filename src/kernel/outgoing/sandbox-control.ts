/**
 * Finds the sandbox, and calls a vendor's control plane. The sandbox writes its addresses into the
 * data folder. They are read each time, because the sandbox may have restarted.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { problem } from '../errors/problem.ts'
import { undici } from './undici.ts'

const Addresses = Type.Record(Type.String(), Type.Record(Type.String(), Type.String()))
export type Addresses = Static<typeof Addresses>

export type Ask = {
  vendor: string
  method: 'GET' | 'POST' | 'DELETE'
  /** The path below `/_sandbox/`, without a leading slash. */
  path: string
  query?: Readonly<Record<string, string | number | undefined>>
  body?: unknown
}

export type OutsideWorld = {
  /** Null while no sandbox runs. */
  addresses(): Promise<Addresses | null>
  ask(what: Ask): Promise<unknown>
}

const answer_ms_max = 5000

export function openOutsideWorld(data_dir: string): OutsideWorld {
  const file = join(data_dir, 'sandbox', 'addresses.json')
  const addresses = async () => {
    let text: string
    try {
      text = await readFile(file, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
    const found: unknown = JSON.parse(text)
    if (!Value.Check(Addresses, found)) throw new Error(`${file} does not hold addresses`)
    return found
  }
  return {
    addresses,
    ask: async what => {
      const control = (await addresses())?.[what.vendor]?.['control']
      if (!control) throw problem('service_unavailable')
      return call(control, what)
    },
  }
}

async function call(control: string, { method, path, query = {}, body }: Ask): Promise<unknown> {
  const url = new URL(path, control)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  const { statusCode, body: answer } = await undici()
    .request(url, {
      method,
      // The sandbox may have restarted since the last call, so we keep no connection.
      reset: true,
      headersTimeout: answer_ms_max,
      bodyTimeout: answer_ms_max,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    .catch((cause: unknown) => {
      throw problem('service_unavailable', {}, { cause })
    })
  const text = await answer.text()
  if (statusCode === 404) throw problem('not_found')
  if (statusCode === 422) throw problem('validation_failed', { detail: detailOf(text) })
  if (statusCode >= 300) {
    throw problem('upstream_invalid_response', {}, { cause: new Error(`${statusCode}: ${text}`) })
  }
  return text === '' ? null : JSON.parse(text)
}

function detailOf(text: string): string {
  const { detail } = JSON.parse(text) as { detail?: unknown }
  return typeof detail === 'string' ? detail : 'The sandbox refuses these values.'
}
