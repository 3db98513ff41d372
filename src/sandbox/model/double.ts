/**
 * A vendor of models without records: its HTTP server, its control plane, and the faults, the journal
 * and the pace of this process.
 */
import { createServer } from 'node:http'
import { Type } from 'typebox'
import { controlPlane } from '../control.ts'
import type { Vendor } from '../vendor.ts'
import { aws_access_key_id } from './authorized.ts'
import { modelControl, paces } from './control-routes.ts'
import { openFaults, type Faults } from './faults.ts'
import { openModelHttp, type Heard, type ModelHttp } from './http.ts'
import { openRequests } from './requests.ts'
import type { Pace } from './turn.ts'

export type Double = {
  readonly name: string
  /** Of its keys, as the vendor's begin. */
  readonly key_prefix: string
  /** The path of its version. */
  readonly base: string
  readonly key_header: string
  readonly id_header: string
  readonly bodyOf: ModelHttp['bodyOf']
  route(heard: Heard, world: { readonly faults: Faults; readonly pace: Pace }): Promise<void>
}

export function modelDouble({ name, base, key_prefix, key_header, ...vendor }: Double): Vendor {
  return {
    name,
    open: async ({ kept, clock, folder, listen }) => {
      const key = `${key_prefix}${kept.secret('api_key').replaceAll(/[^A-Za-z0-9]/g, '')}`
      const faults = openFaults()
      const requests = openRequests(clock)
      let pace: Pace = { ttft_ms: 0, delta_ms: 0 }
      const api = openModelHttp({
        ...vendor,
        credentials: { key, headers: [key_header], clock },
        requests,
        route: heard => vendor.route(heard, { faults, pace }),
      })
      const routes = modelControl<Pace>({
        faults,
        requests,
        Change: Type.Partial(Type.Object(paces), { additionalProperties: false }),
        config: () => pace,
        setConfig: changed => {
          pace = changed
        },
        reset: () => {},
      })
      const plane = controlPlane({ vendor: name, folder }, routes)
      const http = createServer((request, response) => {
        if (request.url?.startsWith('/_sandbox')) void plane(request, response)
        else api(request, response)
      })
      const address = `http://127.0.0.1:${await listen('api', http)}`
      return {
        addresses: {
          api: `${address}${base}`,
          key,
          aws_access_key_id,
          control: `${address}/_sandbox/`,
        },
        close: async () => {
          http.closeAllConnections()
          await new Promise(resolve => http.close(resolve))
        },
      }
    },
  }
}
