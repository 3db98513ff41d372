/**
 * The HTTP side that the vendors of models share: it reads a request, checks its caller, writes it
 * into the journal, and sends what goes wrong as an error of the vendor.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { ApiError, unauthorized } from './api-error.ts'
import { authorizedBy, type Credentials } from './authorized.ts'
import type { FaultRule, Faults } from './faults.ts'
import type { Prompt } from './prompt.ts'
import { journaled, type Requests, type Seen } from './requests.ts'
import type { Pace, Turn } from './turn.ts'
import { idOf } from './vendor-id.ts'

const body_bytes_max = 32 << 20

export type Heard = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly raw: string
  readonly body: unknown
  readonly response: ServerResponse
  readonly seen: Seen
}

export type ModelHttp = {
  readonly credentials: Credentials
  readonly requests: Requests
  readonly id_header: string
  readonly more_headers?: Readonly<Record<string, string>>
  route(heard: Heard): Promise<void>
  /** An error in the form of the vendor. */
  bodyOf(error: ApiError): object
}

export function openModelHttp(vendor: ModelHttp) {
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const id = idOf('req')
    const seen = vendor.requests.begin(id, request, response)
    try {
      const raw = await textOf(request)
      response.setHeader(vendor.id_header, id)
      for (const [name, value] of Object.entries(vendor.more_headers ?? {})) {
        response.setHeader(name, value)
      }
      seen.auth = authorizedBy(request, raw, vendor.credentials)
      if (seen.auth === null) throw unauthorized()
      const body = parsed(raw)
      seen.body = journaled(raw, body)
      const { method, path } = seen
      await vendor.route({ method, path, headers: request.headers, raw, body, response, seen })
    } catch (error) {
      sendError(vendor, response, error)
    }
  }
  return (request: IncomingMessage, response: ServerResponse): void =>
    void handle(request, response)
}

/** The fault of a request, if it has one. */
export function faultFor(
  faults: Faults,
  { seen }: Pick<Heard, 'seen'>,
  prompt: Prompt,
): FaultRule | undefined {
  seen.operation_id = prompt.operation_id
  const fault = faults.forRequest(prompt)
  seen.fault = fault?.action ?? null
  return fault
}

export function turnOf(
  { response, seen }: Heard,
  fault: FaultRule | undefined,
  config: Pace,
  errorFrame: Turn['errorFrame'],
): Turn {
  return { response, seen, fault, config, errorFrame }
}

export function keyIn({ headers }: Pick<Heard, 'headers'>): string | null {
  const key = headers['idempotency-key']
  return typeof key === 'string' ? key : null
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > body_bytes_max) throw new ApiError(413, 'The request is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(raw: string): unknown {
  if (raw === '') return null
  try {
    return JSON.parse(raw)
  } catch {
    throw new ApiError(400, 'We could not parse the JSON body of your request.')
  }
}

function sendError(vendor: ModelHttp, response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) return void response.destroy()
  const known =
    error instanceof ApiError ? error : new ApiError(500, String(error), { type: 'server_error' })
  response.writeHead(known.status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(vendor.bodyOf(known)))
}
