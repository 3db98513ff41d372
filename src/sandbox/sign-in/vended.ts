/** The values that the parts of the sign-in vendor share. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '#dodeca/kernel'
import type { Faults } from './faults.ts'
import type { Keys } from './keys.ts'
import type { People } from './people.ts'

export type Vended = {
  readonly origin: string
  readonly client_id: string
  readonly client_secret: string
  readonly people: People
  readonly faults: Faults
  readonly keys: Keys
  readonly clock: Clock
}

export type Exchange = {
  readonly provider: string
  /** Below the folder of the provider. */
  readonly path: string
  readonly url: URL
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly form: URLSearchParams
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(JSON.stringify(body))
}
