/**
 * The endpoints. For each request they check the caller and its key, apply a fault, and produce the
 * model's answer. A repeated `Idempotency-Key` gets the answer of the first request with that key.
 */
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { LRUCache } from 'lru-cache'
import { answerTo } from './answer.ts'
import { ApiError, unauthorized, unknownUrl } from './api-error.ts'
import { chatFrames, completionOf, type MadeChat } from './chat.ts'
import { embed } from './embeddings.ts'
import type { FaultRule } from './faults.ts'
import { checkModel, listModels, showModel } from './models.ts'
import { promptOfChat, promptOfResponse, promptOfTexts, type Prompt } from './prompt.ts'
import { CreateChat, CreateEmbeddings, CreateResponse, read } from './protocol.ts'
import { journaled, type Seen } from './requests.ts'
import * as responses from './responses.ts'
import { strike } from './strike.ts'
import { sendJson, sendStream, type Turn } from './turn.ts'
import { idOf } from './openai-id.ts'
import type { Vended } from './vended.ts'

const body_bytes_max = 32 << 20
const answers_kept = 20_000

type Kept = { readonly fingerprint: string; readonly made: responses.Made | MadeChat }

type Call = {
  readonly vended: Vended
  readonly method: string
  readonly path: string
  readonly raw: string
  readonly body: unknown
  readonly key: string | null
  readonly response: ServerResponse
  readonly seen: Seen
  /** Returns the result for this key, and creates it if there is none. */
  once<M extends Kept['made']>(make: () => M): M
}

export function openApi(vended: Vended) {
  const kept = new LRUCache<string, Kept>({ max: answers_kept })
  const onceFor =
    (key: string | null, raw: string) =>
    <M extends Kept['made']>(make: () => M): M => {
      const known = key === null ? undefined : kept.get(key)
      const fingerprint = createHash('sha256').update(raw).digest('base64')
      if (known && known.fingerprint !== fingerprint) {
        const message = 'Keys can only be used with the same parameters they were first used with.'
        throw new ApiError(400, message, { code: 'idempotency_error' })
      }
      if (known) return known.made as M
      const made = make()
      const failed = made.answer.ending.status === 'failed'
      if (key !== null && !failed) kept.set(key, { fingerprint, made })
      return made
    }
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const began = performance.now()
    const id = idOf('req')
    const seen = vended.requests.begin(id, request, response)
    try {
      const raw = await textOf(request)
      response.setHeader('x-request-id', id)
      response.setHeader('openai-processing-ms', Math.ceil(performance.now() - began))
      response.setHeader('x-ratelimit-limit-requests', 10_000)
      response.setHeader('x-ratelimit-remaining-requests', 9999)
      if (request.headers.authorization !== `Bearer ${vended.key}`) throw unauthorized()
      const header = request.headers['idempotency-key']
      const key = typeof header === 'string' ? header : null
      const body = parsed(raw)
      seen.body = journaled(raw, body)
      const { method, path } = seen
      const once = onceFor(key, raw)
      await route({ vended, method, path, raw, body, key, response, seen, once })
    } catch (error) {
      sendError(response, error)
    }
  }
  return (request: IncomingMessage, response: ServerResponse): void =>
    void handle(request, response)
}

async function route(call: Call): Promise<void> {
  const { vended, method, path } = call
  const [, version, noun, id, action] = path.split('/')
  if (version === 'v1' && method === 'POST' && path === '/v1/responses') return createResponse(call)
  if (method === 'POST' && path === '/v1/chat/completions') return createChat(call)
  if (method === 'POST' && path === '/v1/embeddings') return createEmbeddings(call)
  const json = (body: object) => sendJson(turnOf(call, undefined), 200, body)
  if (version === 'v1' && noun === 'models' && method === 'GET' && action === undefined) {
    return json(id === undefined ? listModels() : showModel(id))
  }
  if (version === 'v1' && noun === 'responses' && id !== undefined) {
    const fault = vended.faults.forRequest(promptOfTexts(path, '', [], call.key))
    if (fault && strike(call.response, fault)) return
    if (method === 'GET' && action === undefined) {
      return sendJson(turnOf(call, fault), 200, responses.storedView(responses.found(vended, id)))
    }
    if (method === 'POST' && action === 'cancel') return json(responses.cancel(vended, id))
    if (method === 'DELETE' && action === undefined) {
      responses.found(vended, id)
      vended.store.change(change => change.drop('response', id))
      return json({ id, object: 'response', deleted: true })
    }
  }
  throw unknownUrl(method, path)
}

async function createResponse(call: Call): Promise<void> {
  const { vended, key, once } = call
  const body = read(CreateResponse, call.body)
  const prompt = promptOfResponse(call.path, body, key)
  checkModel(prompt, 'text')
  const fault = faultFor(call, prompt)
  if (fault && strike(call.response, fault)) return
  const now_ms = vended.clock.nowMs()
  const made = once(() => responses.makeResponse(body, { key, fault, now_ms }))
  const turn = turnOf(call, fault)
  if (body.background) {
    const known = vended.store.get('response', made.id)
    const wait = prompt.directives['background_ms']
    const view = known
      ? responses.storedView(known)
      : responses.queue(vended, made, wait === undefined ? undefined : Number(wait))
    if (fault?.action === 'webhook_first') {
      responses.endDue(vended, made.id)
      await vended.deliveries.flush(made.id)
    }
    return sendJson(turn, 200, view)
  }
  if (body.store !== false) {
    const stored = { ...made, status: 'completed' as const, ends_ms: now_ms }
    vended.store.change(change => change.put('response', made.id, stored))
  }
  if (body.stream) return sendStream(turn, responses.responseFrames(made))
  return sendJson(turn, 200, responses.viewOf(made, made.answer.ending.status))
}

async function createChat(call: Call): Promise<void> {
  const { vended, key, once } = call
  const body = read(CreateChat, call.body)
  const prompt = promptOfChat(call.path, body, key)
  checkModel(prompt, 'text')
  const fault = faultFor(call, prompt)
  if (fault && strike(call.response, fault)) return
  const created = Math.floor(vended.clock.nowMs() / 1000)
  const made = once(() => {
    return { id: idOf('chatcmpl'), created, body, answer: answerTo(prompt, fault) }
  })
  const turn = turnOf(call, fault)
  return body.stream ? sendStream(turn, chatFrames(made)) : sendJson(turn, 200, completionOf(made))
}

async function createEmbeddings(call: Call): Promise<void> {
  const body = read(CreateEmbeddings, call.body)
  const texts = typeof body.input === 'string' ? [body.input] : body.input
  const prompt = promptOfTexts(call.path, body.model, texts, call.key)
  checkModel(prompt, 'embedding')
  const fault = faultFor(call, prompt)
  if (fault && strike(call.response, fault)) return
  return sendJson(turnOf(call, fault), 200, embed(body))
}

function faultFor({ vended, seen }: Call, prompt: Prompt): FaultRule | undefined {
  seen.operation_id = prompt.operation_id
  const fault = vended.faults.forRequest(prompt)
  seen.fault = fault?.action ?? null
  return fault
}

function turnOf({ response, seen, vended }: Call, fault: FaultRule | undefined): Turn {
  return { response, seen, fault, config: vended.config() }
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

function sendError(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) return void response.destroy()
  const known =
    error instanceof ApiError ? error : new ApiError(500, String(error), { type: 'server_error' })
  response.writeHead(known.status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(known.body()))
}
