/**
 * The Web Risk vendor: `GET /v1/uris:search` as Google documents it, with an API key, and a control
 * plane that sets which URLs are threats and which faults happen.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { Type, type Static } from 'typebox'
import { controlPlane, fits, type ControlRoute } from '../control.ts'
import { openFaultScript, type FaultScript } from '../fault-script.ts'
import type { Setup, Vendor } from '../vendor.ts'
import { openThreats, type Threats } from './threats.ts'

const known_types = ['MALWARE', 'SOCIAL_ENGINEERING', 'UNWANTED_SOFTWARE']
const Uri = Type.String({ minLength: 1, maxLength: 4096 })
const Threat = Type.Object(
  {
    uri: Uri,
    threat_types: Type.Array(Type.Unsafe<string>({ type: 'string', enum: known_types }), {
      minItems: 1,
      maxItems: 3,
    }),
  },
  { additionalProperties: false },
)
const Fault = Type.Object(
  {
    uri: Type.Optional(Uri),
    mode: Type.Union([
      Type.Literal('unavailable'),
      Type.Literal('rate_limit'),
      Type.Literal('invalid_response'),
      Type.Literal('slow'),
    ]),
    times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    delay_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 600_000 })),
  },
  { additionalProperties: false },
)
type Fault = Static<typeof Fault>
type Faults = FaultScript<Fault, { uri: string }>
type Vended = {
  readonly key: string
  readonly threats: Threats
  readonly faults: Faults
  readonly setup: Setup
}

const threat_life_ms = 300_000

export const webRisk: Vendor = {
  name: 'web_risk',
  open: async setup => {
    const vended: Vended = {
      setup,
      key: setup.kept.secret('api_key'),
      threats: openThreats(setup.folder),
      faults: openFaultScript((rule, { uri }) => rule.uri === undefined || rule.uri === uri),
    }
    const about = { vendor: 'web_risk', folder: setup.folder }
    const plane = controlPlane(about, controlRoutes(vended))
    const http = createServer((request, response) => {
      if (request.url?.startsWith('/_sandbox')) void plane(request, response)
      else void search(vended, request, response)
    })
    const port = await setup.listen('api', http)
    const api = `http://127.0.0.1:${port}`
    return {
      addresses: { api, key: vended.key, control: `${api}/_sandbox/` },
      close: async () => {
        http.closeAllConnections()
        await new Promise(resolve => http.close(resolve))
      },
    }
  },
}

async function search(
  { key, threats, faults, setup }: Vended,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const uri = url.searchParams.get('uri') ?? ''
  const asked = url.searchParams.getAll('threatTypes')
  if (request.method !== 'GET' || url.pathname !== '/v1/uris:search') {
    return refuse(response, 404, 'NOT_FOUND')
  }
  if (url.searchParams.get('key') !== key) return refuse(response, 403, 'PERMISSION_DENIED')
  if (!uri || asked.length === 0 || asked.some(type => !known_types.includes(type))) {
    return refuse(response, 400, 'INVALID_ARGUMENT')
  }
  const fault = faults.take({ uri })
  if (fault?.delay_ms) await pause(fault.delay_ms)
  if (fault?.mode === 'unavailable') return refuse(response, 503, 'UNAVAILABLE')
  if (fault?.mode === 'rate_limit') return refuse(response, 429, 'RESOURCE_EXHAUSTED')
  if (fault?.mode === 'invalid_response') return answer(response, 200, ['not what was promised'])
  const threatTypes = threats.typesOf(uri).filter(type => asked.includes(type))
  const expireTime = new Date(setup.clock.nowMs() + threat_life_ms).toISOString()
  answer(response, 200, threatTypes.length > 0 ? { threat: { threatTypes, expireTime } } : {})
}

function refuse(response: ServerResponse, code: number, status: string): void {
  answer(response, code, { error: { code, message: status.toLowerCase(), status } })
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8' })
  response.end(JSON.stringify(body))
}

function controlRoutes({ threats, faults }: Vended): ControlRoute[] {
  return [
    {
      method: 'GET',
      path: '/threats',
      run: () => ({
        status: 200,
        body: { data: threats.list(), next_cursor: null, has_more: false },
      }),
    },
    {
      method: 'POST',
      path: '/threats',
      run: ({ body }) => {
        const threat = fits(Threat, body)
        threats.set(threat.uri, threat.threat_types)
        return { status: 201, body: threat }
      },
    },
    {
      method: 'POST',
      path: '/faults',
      run: ({ body }) => {
        const rule = fits(Fault, body)
        const { id, left } = faults.add(rule, rule.times ?? 1)
        return { status: 201, body: { id, left, ...rule } }
      },
    },
    {
      method: 'POST',
      path: '/reset',
      run: () => {
        threats.clear()
        faults.clear()
        return { status: 204 }
      },
    },
  ]
}
